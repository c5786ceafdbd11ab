lint gather-exchanged.hlo --mesh=dp=2,tp=2
