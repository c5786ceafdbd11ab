check clamp-of-positions.tvr
