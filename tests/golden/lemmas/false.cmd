check false.tvr
