certify dropped.cert dropped-seq.hlo dropped-dist.hlo
