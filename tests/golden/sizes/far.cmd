check far.tvr
