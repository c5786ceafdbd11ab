check counts-at-most-wrong.tvr
