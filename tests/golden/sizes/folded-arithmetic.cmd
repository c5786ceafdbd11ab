check folded-arithmetic.tvr
