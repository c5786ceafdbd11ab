check upsampled.hlo upsampled-by-product-wrong.hlo
