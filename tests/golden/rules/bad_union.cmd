run bad_union.tvr
