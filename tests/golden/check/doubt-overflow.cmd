check doubt-overflow.tvr
