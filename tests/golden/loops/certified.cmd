certify nested.cert ../../graphs/loops-nested-tp3/seq.hlo ../../graphs/loops-nested-tp3/dist.hlo --relation=../../graphs/loops-nested-tp3/relation.json
