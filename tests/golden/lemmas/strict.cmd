check used.tvr --z3-seconds=30 --strict
