check used.tvr --strict
