check rows.tvr
