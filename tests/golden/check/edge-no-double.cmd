check edge-no-double.tvr | head -4
