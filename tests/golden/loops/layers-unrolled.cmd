check ../../graphs/loops-layers-tp2/seq.hlo ../../graphs/loops-layers-tp2/dist.hlo --relation=../../graphs/loops-layers-tp2/relation.json --loops=unroll | head -1
