module @m {
  func.func public @main(%x: tensor<i32>) -> (tensor<i32>) {
%0 = "stablehlo.case"(%x) ({
  %a = stablehlo.constant dense<7> : tensor<i32>
  stablehlo.return %a : tensor<i32>
}, {
  stablehlo.return %x : tensor<i32>
}) : (tensor<i32>) -> tensor<i32>
return %0 : tensor<i32>
  }
}
