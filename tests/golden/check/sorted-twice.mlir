module @sorted_twice {
func.func public @main(%x: tensor<6xf32>) -> tensor<6xf32> {
  %y = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %z0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %e0 = stablehlo.compare EQ, %a, %z0, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %s0 = stablehlo.select %e0, %z0, %a : tensor<i1>, tensor<f32>
    %n0 = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %q0 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %t0 = stablehlo.select %n0, %q0, %s0 : tensor<i1>, tensor<f32>
    %z1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %e1 = stablehlo.compare EQ, %b, %z1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %s1 = stablehlo.select %e1, %z1, %b : tensor<i1>, tensor<f32>
    %n1 = stablehlo.compare NE, %b, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %q1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %t1 = stablehlo.select %n1, %q1, %s1 : tensor<i1>, tensor<f32>
    %l = stablehlo.compare LT, %t0, %t1, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %l : tensor<i1>
  }) : (tensor<6xf32>) -> tensor<6xf32>
  %c = stablehlo.constant dense<2.000000e+00> : tensor<6xf32>
  %m = stablehlo.multiply %y, %c : tensor<6xf32>
  return %m : tensor<6xf32>
}
}
