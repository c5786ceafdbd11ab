check read-by-product.hlo read.hlo
