check fused.mlir fused-names.hlo
