lint reduce-sliced-not.hlo --mesh=dp=2,tp=2
