check size.tvr | head -1
