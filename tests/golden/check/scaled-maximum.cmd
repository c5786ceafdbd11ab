check scaled-maximum.tvr
