certify sorted.cert sorted-seq.hlo sorted-seq.hlo --relation=sorted.json
