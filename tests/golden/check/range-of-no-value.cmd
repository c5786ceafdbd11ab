check range-of-no-value.tvr
