check mask.tvr --sizes=s=20
