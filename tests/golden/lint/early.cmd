lint early.hlo --mesh=dp=2,tp=2
