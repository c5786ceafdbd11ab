module {
func.func @main(%a: tensor<2xf32>) -> tensor<3xf32> {
%0 = stablehlo.negate %a : (tensor<4xf32>) -> tensor<4xf32>
return %0 : tensor<4xf32>
}
}
