check mean-bounded.tvr --size-points=5
