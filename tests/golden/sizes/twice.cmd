check twice.tvr
