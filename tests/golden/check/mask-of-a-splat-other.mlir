module @m {
 func.func public @main(%x: tensor<4xf32>, %y: tensor<4xf32>, %st: tensor<6x4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<6x4xf32>) {
 %zero = stablehlo.constant dense<0.0> : tensor<4xf32>
 %one = stablehlo.constant dense<1.0> : tensor<4xf32>
 %i0 = stablehlo.constant dense<-2> : tensor<i32>
 %so = stablehlo.constant dense<0.0> : tensor<6x4xf32>
 %r:4 = stablehlo.while(%i = %i0, %c0 = %x, %c1 = %x, %s = %so) : tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<6x4xf32>
  cond {
   %lim = stablehlo.constant dense<2> : tensor<i32>
   %g = stablehlo.compare NE, %i, %lim, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
   stablehlo.return %g : tensor<i1>
  } do {
  %bt0 = stablehlo.subtract %c0, %c1 : tensor<4xf32>
  %bt1 = stablehlo.subtract %bt0, %bt0 : tensor<4xf32>
  %bt2 = stablehlo.multiply %bt1, %bt1 : tensor<4xf32>
  %bt3 = stablehlo.add %bt2, %bt1 : tensor<4xf32>
  %bt4 = stablehlo.tanh %bt3 : tensor<4xf32>
  %bt5 = stablehlo.tanh %c0 : tensor<4xf32>
  %z1 = stablehlo.constant dense<0> : tensor<i32>
  %z3 = stablehlo.constant dense<0> : tensor<i32>
  %z2 = stablehlo.add %i, %z1 : tensor<i32>
  %z4 = stablehlo.reshape %bt0 : (tensor<4xf32>) -> tensor<1x4xf32>
  %z5 = stablehlo.dynamic_update_slice %s, %z4, %z2, %z3 : (tensor<6x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<6x4xf32>
  %z6 = stablehlo.constant dense<2> : tensor<i32>
  %z7 = stablehlo.add %i, %z6 : tensor<i32>
  stablehlo.return %z7, %bt4, %bt3, %z5 : tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<6x4xf32>
  }
 return %r#1, %r#2, %r#3 : tensor<4xf32>, tensor<4xf32>, tensor<6x4xf32>
 }
}
