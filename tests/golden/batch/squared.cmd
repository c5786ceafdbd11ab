check squared.tvr | head -1
