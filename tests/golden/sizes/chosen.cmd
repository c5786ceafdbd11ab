check mask.tvr --sizes=s=24
