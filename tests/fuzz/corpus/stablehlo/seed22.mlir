module @m {
  func.func public @main(%x: tensor<f32>) -> (tensor<f32>, tensor<i32>) {
%c = stablehlo.constant dense<0> : tensor<i32>
%n = stablehlo.constant dense<2> : tensor<i32>
%0:2 = stablehlo.while(%i = %c, %v = %x) : tensor<i32>, tensor<f32>
 cond {
  %t = stablehlo.compare  LT, %i, %n,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.return %t : tensor<i1>
 } do {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %s = stablehlo.add %i, %one : tensor<i32>
  %w = stablehlo.tanh %v : tensor<f32>
  stablehlo.return %s, %w : tensor<i32>, tensor<f32>
 }
return %0#1, %0#0 : tensor<f32>, tensor<i32>
  }
}
