check all.tvr | head -1
