module @m {
  func.func public @main(%x: tensor<2x3xf32>) -> (tensor<2xf32>) {
%z = stablehlo.constant dense<0.0> : tensor<f32>
%0 = stablehlo.reduce(%x init: %z) across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
 reducer(%a: tensor<f32> loc("a"), %b: tensor<f32>) {
  %s = stablehlo.add %b, %a : tensor<f32>
  stablehlo.return %s : tensor<f32>
 }
return %0 : tensor<2xf32>
  }
}
