check assume.tvr
