check roots-scaled.mlir roots-scaled-as-numbers.mlir; $TVR check roots-scaled.mlir roots-scaled-other.mlir | head -1
