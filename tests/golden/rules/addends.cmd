run addends.tvr
