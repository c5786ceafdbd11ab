certify false-lemma.cert tanh-seq.hlo identity-dist.hlo --relation=tanh.json --with=false.tvr
