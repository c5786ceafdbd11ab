prove conditions.tvr
