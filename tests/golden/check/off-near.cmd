check off-seq.hlo off-near.hlo
