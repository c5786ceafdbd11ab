check narrow-wide.tvr
