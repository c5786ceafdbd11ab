prove equal_sizes.tvr
