check equal-rebuilt.tvr
