check union.tvr
