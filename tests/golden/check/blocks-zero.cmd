check blocks-zero.tvr
