check scatter-apart.tvr
