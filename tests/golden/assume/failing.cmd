check failing.tvr
