module {
 func.func public @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> tensor<4xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<4xf32>
  %one = stablehlo.constant dense<1.0> : tensor<4xf32>
  %five = stablehlo.constant dense<5.0> : tensor<4xf32>
  %seven = stablehlo.constant dense<7.0> : tensor<4xf32>
  %two = stablehlo.constant dense<2.0> : tensor<4xf32>
  %v1 = stablehlo.compare GT, %arg1, %z : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %v2 = stablehlo.log %arg1 : tensor<4xf32>
  %v3 = stablehlo.exponential %v2 : tensor<4xf32>
  %v4 = stablehlo.select %v1, %v3, %z : tensor<4xi1>, tensor<4xf32>
  return %v4 : tensor<4xf32>
 }
}
