check truth-product.mlir truth-product-counted.mlir --points=0 --coarse-points=0 | head -2
