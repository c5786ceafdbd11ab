fmt --check ugly.tvr
