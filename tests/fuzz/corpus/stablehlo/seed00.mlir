module @m {
  func.func public @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32> {mhlo.sharding = "{replicated}"} loc("b")) -> (tensor<2x3xf32> {jax.result_info = "r"}) {
    %0 = stablehlo.add %a, %b : tensor<2x3xf32> loc(#loc1)
    %1 = stablehlo.tanh %0 {result_accuracy = #x<a>} : tensor<2x3xf32>
    return %1 : tensor<2x3xf32>
  }
}
