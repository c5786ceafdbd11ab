check empty-mask.tvr
