lint mergeable.hlo --mesh=dp=2,tp=2
