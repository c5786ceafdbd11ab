lint reduced-twice-not.hlo --mesh=dp=2,tp=2
