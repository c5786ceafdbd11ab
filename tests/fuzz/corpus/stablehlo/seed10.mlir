module @m {
  func.func public @main(%x: tensor<1x4xf32>, %z: tensor<f32>) -> (tensor<3x4xf32>, tensor<2x4xf32>, tensor<1x2xf32>) {
%0 = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<3x4xf32>
%1 = stablehlo.pad %x, %z, low = [1, 0], high = [0, 0], interior = [0, 0] : (tensor<1x4xf32>, tensor<f32>) -> tensor<2x4xf32>
%2 = stablehlo.slice %x [0:1, 0:4:2] : (tensor<1x4xf32>) -> tensor<1x2xf32>
return %0, %1, %2 : tensor<3x4xf32>, tensor<2x4xf32>, tensor<1x2xf32>
  }
}
