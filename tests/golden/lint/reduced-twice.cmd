lint reduced-twice.hlo --mesh=dp=2,tp=2
