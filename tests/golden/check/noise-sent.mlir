module @noise {
  func.func public @main(%x: tensor<3xf32>) -> tensor<3xf32> {
    %a = stablehlo.negate %x : tensor<3xf32>
    %b = stablehlo.negate %x : tensor<3xf32>
    %t = stablehlo.create_token : !stablehlo.token
    %u = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true}> : (tensor<3xf32>, !stablehlo.token) -> !stablehlo.token
    %d = stablehlo.subtract %a, %b : tensor<3xf32>
    %y = stablehlo.add %d, %x : tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
