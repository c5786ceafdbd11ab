check nothing.tvr
