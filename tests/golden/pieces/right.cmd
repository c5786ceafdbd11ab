check right.tvr --points=0
