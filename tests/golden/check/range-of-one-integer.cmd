check range-of-one-integer.tvr
