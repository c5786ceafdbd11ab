prove beyond-number.tvr
