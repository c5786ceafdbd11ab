check narrow-from-real-both.tvr
