module @before {
  func.func public @main(%x: tensor<3x4xi1>, %y: tensor<4x3xi1>) -> tensor<3x3xi1> {
    %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<3x4xi1>, tensor<4x3xi1>) -> tensor<3x3xi1>
    return %0 : tensor<3x3xi1>
  }
}
