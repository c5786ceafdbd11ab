check upsampled.hlo upsampled-by-product.hlo
