check added.tvr | head -1
