check wraps-multiply-not.tvr --strict
