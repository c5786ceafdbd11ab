check chosen.tvr | head -1
