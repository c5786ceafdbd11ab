certify sorted-once.cert sorted-seq.hlo sorted-seq.hlo --relation=sorted.json
