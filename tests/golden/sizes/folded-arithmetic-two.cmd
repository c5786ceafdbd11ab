check folded-arithmetic-two.tvr
