check fused.mlir fused-first-row.hlo
