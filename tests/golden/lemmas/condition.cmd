check condition.tvr
