check mask-seq.hlo mask-mean.hlo
