reduce real-size.tvr
