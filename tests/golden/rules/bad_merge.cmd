run bad_merge.tvr
