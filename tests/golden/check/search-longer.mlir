module @search {
  func.func public @main(%x: tensor<f32>, %s: tensor<f32>) -> tensor<f32> {
    %most = stablehlo.constant dense<1.0e+03> : tensor<f32>
    %y = stablehlo.while(%v = %x) : tensor<f32>
     cond {
      %c = stablehlo.compare LT, %v, %most, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %n = func.call @step(%v) : (tensor<f32>) -> tensor<f32>
      %m = stablehlo.add %n, %s : tensor<f32>
      stablehlo.return %m : tensor<f32>
    }
    return %y : tensor<f32>
  }
  func.func private @step(%v: tensor<f32>) -> tensor<f32> {
    %w = stablehlo.multiply %v, %v : tensor<f32>
    return %w : tensor<f32>
  }
}
