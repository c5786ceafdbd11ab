check mask.tvr --size-limit=6
