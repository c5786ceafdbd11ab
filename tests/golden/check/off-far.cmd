check off-seq.hlo off-far.hlo
