module @branches {
  func.func public @main(%x: tensor<3xf64>) -> tensor<3xf64> {
    %t = stablehlo.constant dense<[3, 1, 2]> : tensor<3xi32>
    %z = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%i = %z, %a = %x) : tensor<i32>, tensor<3xf64>
     cond {
      %n = stablehlo.constant dense<3> : tensor<i32>
      %c = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %s = stablehlo.dynamic_slice %t, %i, sizes = [1] : (tensor<3xi32>, tensor<i32>) -> tensor<1xi32>
      %s1 = stablehlo.reshape %s : (tensor<1xi32>) -> tensor<i32>
      %sel = "stablehlo.case"(%s1) ({
        stablehlo.return %a : tensor<3xf64>
      }, {
        %y = stablehlo.exponential %a : tensor<3xf64>
        stablehlo.return %y : tensor<3xf64>
      }, {
        %y = stablehlo.sine %a : tensor<3xf64>
        stablehlo.return %y : tensor<3xf64>
      }, {
        %y = stablehlo.add %a, %a : tensor<3xf64>
        stablehlo.return %y : tensor<3xf64>
      }) : (tensor<i32>) -> tensor<3xf64>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %sel : tensor<i32>, tensor<3xf64>
    }
    return %0#1 : tensor<3xf64>
  }
}
