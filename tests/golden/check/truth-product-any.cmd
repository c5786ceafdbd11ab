check truth-product.mlir truth-product-any.mlir
