certify lemma.cert tanh-seq.hlo tanh-dist.hlo --relation=tanh.json --with=lemma-two.tvr
