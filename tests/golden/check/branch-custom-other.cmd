check branch-custom.mlir branch-custom-other.mlir | head -1
