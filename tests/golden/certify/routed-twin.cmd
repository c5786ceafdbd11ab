check routed-twin.tvr | head -3
