check wraps-at-65536.tvr | head -4 | cut -c1-150
