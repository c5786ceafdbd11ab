prove true.tvr
