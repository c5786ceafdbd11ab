prove bad.tvr
