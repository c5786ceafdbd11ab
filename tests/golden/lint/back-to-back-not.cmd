lint back-to-back-not.hlo --mesh=dp=2,tp=2
