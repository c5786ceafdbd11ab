run bad_operator.tvr
