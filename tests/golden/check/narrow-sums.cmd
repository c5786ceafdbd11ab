check narrow-sums.tvr
