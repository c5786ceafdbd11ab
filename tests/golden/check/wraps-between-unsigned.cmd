check wraps-between-unsigned.tvr
