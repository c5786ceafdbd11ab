check fails-count.tvr
