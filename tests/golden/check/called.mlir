module @called {
  func.func public @main(%x: tensor<4xf32>) -> tensor<f32> {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %y = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 0>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = func.call @larger(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      stablehlo.return %c : tensor<f32>
    }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    return %y : tensor<f32>
  }
  func.func private @larger(%p: tensor<f32>, %q: tensor<f32>) -> tensor<f32> {
    %r = stablehlo.multiply %q, %q : tensor<f32>
    %s = stablehlo.maximum %p, %r : tensor<f32>
    return %s : tensor<f32>
  }
}
