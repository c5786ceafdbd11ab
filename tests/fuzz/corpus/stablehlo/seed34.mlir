module {
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x4xf32>) -> tensor<8x4xf32> {
%0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%b: tensor<4x4xf32>) {
  %1 = stablehlo.negate %b : tensor<4x4xf32>
  sdy.return %1 : tensor<4x4xf32>
} : (tensor<8x4xf32>) -> tensor<8x4xf32>
return %0 : tensor<8x4xf32>
}
}
