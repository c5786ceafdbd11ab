module attributes {mhlo.num_partitions = 4 : i32} {
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
%0 = "stablehlo.all_reduce"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<"0x0000000000000000020000000000000001000000000000000300000000000000"> : tensor<2x2xi64>, use_global_device_ids}> ({
 ^bb0(%a: tensor<f32>, %b: tensor<f32>):
  %s = stablehlo.add %a, %b : tensor<f32>
  stablehlo.return %s : tensor<f32>
 }) : (tensor<4xf32>) -> tensor<4xf32>
return %0 : tensor<4xf32>
}
}
