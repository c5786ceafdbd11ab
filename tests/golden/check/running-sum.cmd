check running-sum.tvr
