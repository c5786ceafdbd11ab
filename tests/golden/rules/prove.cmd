run prove.tvr
