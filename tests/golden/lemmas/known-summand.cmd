check known-summand.tvr
