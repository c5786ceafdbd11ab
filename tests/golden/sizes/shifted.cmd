check shifted.tvr | head -4 | cut -c1-150
