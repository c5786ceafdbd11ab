certify lemma.cert tanh-seq.hlo tanh-wrong.hlo --relation=tanh.json
