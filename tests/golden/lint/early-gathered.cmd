lint early-gathered.hlo --mesh=dp=2,tp=2
