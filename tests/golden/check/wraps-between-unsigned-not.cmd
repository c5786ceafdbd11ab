check wraps-between-unsigned-not.tvr --strict
