check used.tvr
