prove rests.tvr
