check infinity-times-a-sum.tvr
