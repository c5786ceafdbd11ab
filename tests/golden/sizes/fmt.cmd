fmt product.tvr | head -3
