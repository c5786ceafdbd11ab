check files.tvr
