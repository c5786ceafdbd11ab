show sums.mlir; $TVR show sums.hlo
