module @m {
  func.func public @main(%x: tensor<4xf32>) -> (tensor<8xf32>) {
%0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<4xf32>) -> tensor<8xf32>
return %0 : tensor<8xf32>
  }
}
