run costs.tvr
