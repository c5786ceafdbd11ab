check branch-cond.mlir branch-where-wrong.mlir
