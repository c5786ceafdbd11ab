check narrow-unsigned.tvr --strict
