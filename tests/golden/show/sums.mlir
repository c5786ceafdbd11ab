module @sums {
  func.func public @main(%x: tensor<4xbf16>) -> (tensor<bf16>, tensor<bf16>) {
    %z = stablehlo.constant dense<0.0> : tensor<bf16>
    %sum = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 0>}> ({
    ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
      %c = stablehlo.convert %a : (tensor<bf16>) -> tensor<f32>
      %d = stablehlo.convert %b : (tensor<bf16>) -> tensor<f32>
      %e = stablehlo.add %d, %c : tensor<f32>
      %f = stablehlo.convert %e : (tensor<f32>) -> tensor<bf16>
      stablehlo.return %f : tensor<bf16>
    }) : (tensor<4xbf16>, tensor<bf16>) -> tensor<bf16>
    %whole = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 0>}> ({
    ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
      %c = stablehlo.convert %a : (tensor<bf16>) -> tensor<i32>
      %d = stablehlo.convert %b : (tensor<bf16>) -> tensor<i32>
      %e = stablehlo.add %d, %c : tensor<i32>
      %f = stablehlo.convert %e : (tensor<i32>) -> tensor<bf16>
      stablehlo.return %f : tensor<bf16>
    }) : (tensor<4xbf16>, tensor<bf16>) -> tensor<bf16>
    return %sum, %whole : tensor<bf16>, tensor<bf16>
  }
}
