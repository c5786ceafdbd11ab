reduce asks-nothing.tvr
