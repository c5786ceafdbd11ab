prove places.tvr
