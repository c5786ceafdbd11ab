check narrow-region.tvr
