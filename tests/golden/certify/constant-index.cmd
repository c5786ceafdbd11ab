certify constant-index.cert invented-seq.hlo invented-dist.hlo
