check none.tvr
