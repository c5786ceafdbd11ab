check constant-of-no-type.tvr
