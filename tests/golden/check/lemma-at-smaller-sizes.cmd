check --max-work=1 --seconds=0 ../../graphs/rewrite-mean-square/seq.hlo ../../graphs/rewrite-mean-square/dist.hlo --relation ../../graphs/rewrite-mean-square/relation.json
