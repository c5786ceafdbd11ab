check angles-wrong.tvr
