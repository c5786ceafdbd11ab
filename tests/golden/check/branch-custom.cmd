check branch-custom.mlir branch-custom-same.mlir | head -1
