check branch-cond.mlir branch-where.mlir
