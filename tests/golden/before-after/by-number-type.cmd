check fused.mlir fused-type.hlo
