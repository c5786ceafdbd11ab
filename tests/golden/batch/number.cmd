check number.tvr | head -1
