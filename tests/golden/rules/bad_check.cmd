run bad_check.tvr
