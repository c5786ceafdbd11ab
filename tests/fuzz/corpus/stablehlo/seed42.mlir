module {
func.func @main(%a: tensor<f32>) -> tensor<f32> {
%0 = stablehlo.negate %a : tensor<f32>
