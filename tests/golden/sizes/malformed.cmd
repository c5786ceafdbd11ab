check mask.tvr --sizes=s=24,8
