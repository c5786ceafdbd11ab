check scaled-maximum-wrong.tvr
