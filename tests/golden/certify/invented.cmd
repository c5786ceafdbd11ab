certify invented.cert invented-seq.hlo invented-dist.hlo
