check range-of-no-integer.tvr
