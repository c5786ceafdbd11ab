check product-of-no-dimension.hlo product-of-no-dimension.hlo
