check wraps-beyond-range-not.tvr --strict
