run bad_include.tvr
