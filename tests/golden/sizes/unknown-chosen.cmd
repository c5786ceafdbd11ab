check mask.tvr --sizes=s=24,t=8
