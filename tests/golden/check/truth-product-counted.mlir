module @after {
  func.func public @main(%x: tensor<3x4xi1>, %y: tensor<4x3xi1>) -> tensor<3x3xi32> {
    %0 = stablehlo.convert %x : (tensor<3x4xi1>) -> tensor<3x4xi32>
    %1 = stablehlo.convert %y : (tensor<4x3xi1>) -> tensor<4x3xi32>
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<3x4xi32>, tensor<4x3xi32>) -> tensor<3x3xi32>
    return %2 : tensor<3x3xi32>
  }
}
