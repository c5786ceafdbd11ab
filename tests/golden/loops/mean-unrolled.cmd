check ../../graphs/loops-mean-dp2/seq.hlo ../../graphs/loops-mean-dp2/dist.hlo --relation=../../graphs/loops-mean-dp2/relation.json --loops=unroll | head -1
