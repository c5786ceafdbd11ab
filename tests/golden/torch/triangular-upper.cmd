check triangular-upper.tvr
