check ../../graphs/loops-layers-tp2/seq.hlo ../../graphs/loops-layers-tp2/broken/no-all-reduce/dist.hlo --relation=../../graphs/loops-layers-tp2/relation.json --loops=invariant --max-trips=2
