check half.tvr
