certify squares.cert invented-seq.hlo invented-dist.hlo
