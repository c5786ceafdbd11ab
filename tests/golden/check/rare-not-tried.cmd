check rare.tvr --later-points=0 | head -4
