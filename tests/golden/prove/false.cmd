prove false.tvr
