check counts-at-most.tvr
