check put-meets.tvr
