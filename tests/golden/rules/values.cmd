run values.tvr
