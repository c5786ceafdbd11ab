prove tiles.tvr
