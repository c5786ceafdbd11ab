check wraps-converted-not.tvr --strict
