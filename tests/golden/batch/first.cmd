check first.tvr | head -1
