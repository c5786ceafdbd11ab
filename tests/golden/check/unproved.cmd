check unproved.tvr
