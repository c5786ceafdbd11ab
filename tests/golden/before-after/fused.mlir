module @step {
  func.func public @main(%arg0: tensor<4x6xf32>, %arg1: tensor<6xf32>) -> tensor<6xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %zero = stablehlo.constant dense<0.0> : tensor<6xf32>
    %0:2 = stablehlo.while(%i = %c, %y = %zero) : tensor<i32>, tensor<6xf32>
    cond {
      %n = stablehlo.constant dense<4> : tensor<i32>
      %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %z = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %row = stablehlo.dynamic_slice %arg0, %i, %z, sizes = [1, 6] : (tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<1x6xf32>
      %r = stablehlo.reshape %row : (tensor<1x6xf32>) -> tensor<6xf32>
      %s = stablehlo.add %y, %r : tensor<6xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %s : tensor<i32>, tensor<6xf32>
    }
    %1 = stablehlo.multiply %0#1, %arg1 : tensor<6xf32>
    return %1 : tensor<6xf32>
  }
}
