check overflows-at-16384.tvr | head -4 | cut -c1-150
