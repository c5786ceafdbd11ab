check wraps-multiply.tvr --strict
