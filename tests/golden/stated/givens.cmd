check givens.tvr
