module @m {
  func.func public @main() -> (tensor<3xf32>) {
%c = stablehlo.constant dense<[1.0, ...]> : tensor<3xf32>
return %c : tensor<3xf32>
  }
}
