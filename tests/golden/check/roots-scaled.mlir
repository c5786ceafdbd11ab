module @m {
  func.func public @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %n = stablehlo.constant dense<3072.0> : tensor<4xf32>
    %r = stablehlo.sqrt %n : tensor<4xf32>
    %a = stablehlo.multiply %x, %r : tensor<4xf32>
    %l = stablehlo.constant dense<2.07944155> : tensor<4xf32>
    %b = stablehlo.multiply %y, %l : tensor<4xf32>
    return %a, %b : tensor<4xf32>, tensor<4xf32>
  }
}
