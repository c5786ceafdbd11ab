check ../../graphs/loops-layers-tp2/seq.hlo ../../graphs/loops-layers-tp2/dist.hlo --relation=../../graphs/loops-layers-tp2/relation.json --loops=invariant --certificate=/dev/null 2>&1 >/dev/null
