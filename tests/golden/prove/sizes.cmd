prove sizes.tvr
