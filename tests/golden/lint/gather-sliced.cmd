lint gather-sliced.hlo --mesh=dp=2,tp=2
