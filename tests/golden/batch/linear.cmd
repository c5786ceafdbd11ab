check linear.tvr | head -1
