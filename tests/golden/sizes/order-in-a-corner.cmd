check order-in-a-corner.tvr | head -4 | cut -c1-150
