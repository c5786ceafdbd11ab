check sorted.mlir sorted.mlir | head -1; for x in twice down; do $TVR check sorted.mlir sorted-$x.mlir | head -1; done
