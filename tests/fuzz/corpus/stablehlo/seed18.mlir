module {
 func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %0:2 = call @g(%a) : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  %1 = func.call @h(%0#1) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
 }
 func.func private @g(%a: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0 = stablehlo.negate %a : tensor<f32>
  return %a, %0 : tensor<f32>, tensor<f32>
 }
 func.func private @h(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.abs %x : tensor<f32>
  return %0 : tensor<f32>
 }
}
