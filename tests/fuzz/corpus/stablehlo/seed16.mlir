module @m {
  func.func public @main(%x: tensor<f32>) -> (tensor<f32>) {
%y = stablehlo.negate %x : tensor<f32>
%y = stablehlo.abs %x : tensor<f32>
return %y : tensor<f32>
  }
}
