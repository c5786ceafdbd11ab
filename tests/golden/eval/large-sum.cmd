eval large-sum.tvr --elements=1
