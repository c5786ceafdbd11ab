check mean.tvr
