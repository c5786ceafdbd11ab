check no-value.tvr
