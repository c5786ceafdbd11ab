check index-as-number.tvr
