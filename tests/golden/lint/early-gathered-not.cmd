lint early-gathered-not.hlo --mesh=dp=2,tp=2
