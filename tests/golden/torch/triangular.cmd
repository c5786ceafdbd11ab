check triangular.tvr
