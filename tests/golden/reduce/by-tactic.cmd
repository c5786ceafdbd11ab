reduce ../../graphs/rewrite-mean-square/seq.hlo ../../graphs/rewrite-mean-square/dist.hlo
