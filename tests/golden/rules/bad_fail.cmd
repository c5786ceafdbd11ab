run bad_fail.tvr
