check inverse-of-123456.tvr | head -4 | cut -c1-150
