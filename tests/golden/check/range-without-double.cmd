check range-without-double.tvr | head -4
