run bad_lookup.tvr
