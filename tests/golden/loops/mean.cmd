check ../../graphs/loops-mean-dp2/seq.hlo ../../graphs/loops-mean-dp2/dist.hlo --relation=../../graphs/loops-mean-dp2/relation.json --loops=invariant --max-trips=2 | sed -n '/^loops/,/^exit/p'
