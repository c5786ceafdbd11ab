check no-number.tvr
