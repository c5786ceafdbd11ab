check mask.tvr
