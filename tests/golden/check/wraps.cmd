check wraps.tvr
