run bad_overflow.tvr
