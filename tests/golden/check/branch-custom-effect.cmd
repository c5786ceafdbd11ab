check branch-custom.mlir branch-custom-effect.mlir
