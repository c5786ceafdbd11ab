check narrow.tvr
