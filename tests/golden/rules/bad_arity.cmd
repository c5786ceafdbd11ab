run bad_arity.tvr
