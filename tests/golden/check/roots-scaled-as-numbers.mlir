module @m {
  func.func public @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %r = stablehlo.constant dense<55.4256248> : tensor<4xf32>
    %a = stablehlo.multiply %x, %r : tensor<4xf32>
    %l = stablehlo.constant dense<133.08426> : tensor<4xf32>
    %s = stablehlo.multiply %y, %l : tensor<4xf32>
    %d = stablehlo.constant dense<1.562500e-02> : tensor<4xf32>
    %b = stablehlo.multiply %s, %d : tensor<4xf32>
    return %a, %b : tensor<4xf32>, tensor<4xf32>
  }
}
