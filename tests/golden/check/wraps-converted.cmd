check wraps-converted.tvr
