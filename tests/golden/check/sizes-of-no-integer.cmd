check sizes-of-no-integer.tvr
