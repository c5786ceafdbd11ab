prove missing.tvr
