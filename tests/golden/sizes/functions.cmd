check functions.tvr
