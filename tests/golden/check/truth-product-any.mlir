module @after {
  func.func public @main(%x: tensor<3x4xi1>, %y: tensor<4x3xi1>) -> tensor<3x3xi1> {
    %0 = stablehlo.transpose %y, dims = [1, 0] : (tensor<4x3xi1>) -> tensor<3x4xi1>
    %1 = stablehlo.broadcast_in_dim %x, dims = [0, 2] : (tensor<3x4xi1>) -> tensor<3x3x4xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [1, 2] : (tensor<3x4xi1>) -> tensor<3x3x4xi1>
    %3 = stablehlo.and %1, %2 : tensor<3x3x4xi1>
    %c = stablehlo.constant dense<false> : tensor<i1>
    %4 = stablehlo.reduce(%3 init: %c) applies stablehlo.or across dimensions = [2] : (tensor<3x3x4xi1>, tensor<i1>) -> tensor<3x3xi1>
    return %4 : tensor<3x3xi1>
  }
}
