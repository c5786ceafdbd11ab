check mean.tvr --strict
