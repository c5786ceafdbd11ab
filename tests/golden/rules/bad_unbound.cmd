run bad_unbound.tvr
