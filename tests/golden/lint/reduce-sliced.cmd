lint reduce-sliced.hlo --mesh=dp=2,tp=2
