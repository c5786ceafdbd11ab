func.func @f(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
%s = stablehlo.add %a, %b : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
%t:1 = stablehlo.tanh %s : tensor<2x3xf32>
func.return %t#0 : tensor<2x3xf32>
}