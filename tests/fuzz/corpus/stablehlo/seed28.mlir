module @m {
  func.func public @main(%x: tensor<4x6xf32>) -> (tensor<8x3xf32>) {
%0 = "stablehlo.all_to_all"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64}> : (tensor<4x6xf32>) -> tensor<8x3xf32>
return %0 : tensor<8x3xf32>
  }
}
