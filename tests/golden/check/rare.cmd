check rare.tvr
