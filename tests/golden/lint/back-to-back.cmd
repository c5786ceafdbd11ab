lint back-to-back.hlo --mesh=dp=2,tp=2
