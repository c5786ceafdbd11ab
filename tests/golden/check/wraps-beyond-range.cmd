check wraps-beyond-range.tvr
