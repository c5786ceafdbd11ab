check fused.mlir fused.hlo
