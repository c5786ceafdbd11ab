check narrow-from-real.tvr --strict
