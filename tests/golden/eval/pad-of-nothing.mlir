module @f {
  func.func public @main(%x: tensor<0xf64>) -> tensor<2xf64> {
    %c = stablehlo.constant dense<7.0> : tensor<f64>
    %0 = stablehlo.pad %x, %c, low = [2], high = [0], interior = [1] : (tensor<0xf64>, tensor<f64>) -> tensor<2xf64>
    return %0 : tensor<2xf64>
  }
}
