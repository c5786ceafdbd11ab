prove bad_exponent.tvr
