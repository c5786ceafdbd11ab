check scatter-meets.tvr
