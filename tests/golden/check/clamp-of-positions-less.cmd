check clamp-of-positions-less.tvr
