show ../check/stablehlo-dist.mlir
