check product.tvr
