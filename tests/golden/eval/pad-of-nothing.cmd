eval pad-of-nothing.mlir
