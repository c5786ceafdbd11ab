fmt own.tvr
