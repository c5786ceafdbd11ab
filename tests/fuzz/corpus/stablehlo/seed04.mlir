module @m {
  func.func public @main() -> (tensor<3xi32>, tensor<i1>, tensor<2xbf16>, tensor<0x4xf32>, tensor<10xi1>) {
%a = stablehlo.constant dense<"0x0100000002000000FFFFFFFF"> : tensor<3xi32>
%b = stablehlo.constant dense<true> : tensor<i1>
%c = "stablehlo.constant"() <{value = dense<1.5> : tensor<2xbf16>}> : () -> tensor<2xbf16>
%d = stablehlo.constant dense<> : tensor<0x4xf32>
%e = stablehlo.constant dense<"0x0302"> : tensor<10xi1>
return %a, %b, %c, %d, %e : tensor<3xi32>, tensor<i1>, tensor<2xbf16>, tensor<0x4xf32>, tensor<10xi1>
  }
}
