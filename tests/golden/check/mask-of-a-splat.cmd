check mask-of-a-splat.mlir mask-of-a-splat-other.mlir
