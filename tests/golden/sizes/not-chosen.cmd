eval mask.tvr
