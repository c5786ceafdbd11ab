check ../../graphs/loops-indexed-tp2/seq.hlo ../../graphs/loops-indexed-tp2/broken/clamped/dist.hlo --relation=../../graphs/loops-indexed-tp2/relation.json --loops=invariant --max-trips=2
