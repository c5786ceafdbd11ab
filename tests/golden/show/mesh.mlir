module @jit_g attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["tp"=2]> {stablehlo.mesh = {axes = [{name = "tp", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<2x4xf64>, %arg1: tensor<4x2xf64>) -> (tensor<2x2xf64> {jax.result_info = "result[0]"}, tensor<2x4xf64> {jax.result_info = "result[1]"}, tensor<2x4xf64> {jax.result_info = "result[2]"}) {
    %0:3 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{}, {"tp"}]>, <@mesh, [{"tp"}, {}]>] out_shardings=[<@mesh, [{}, {}]>, <@mesh, [{}, {}]>, <@mesh, [{}, {"tp"}]>] manual_axes={"tp"} (%arg2: tensor<2x2xf64>, %arg3: tensor<2x2xf64>) {
      %1 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
      %2 = "stablehlo.all_reduce"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<f64>, %arg5: tensor<f64>):
        %5 = stablehlo.add %arg4, %arg5 : tensor<f64>
        stablehlo.return %5 : tensor<f64>
      }) : (tensor<2x2xf64>) -> tensor<2x2xf64>
      %3 = "stablehlo.all_gather"(%arg2) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<2x2xf64>) -> tensor<2x4xf64>
      %4 = "stablehlo.collective_permute"(%arg2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<2x2xf64>) -> tensor<2x2xf64>
      sdy.return %2, %3, %4 : tensor<2x2xf64>, tensor<2x4xf64>, tensor<2x2xf64>
    } : (tensor<2x4xf64>, tensor<4x2xf64>) -> (tensor<2x2xf64>, tensor<2x4xf64>, tensor<2x4xf64>)
    return %0#0, %0#1, %0#2 : tensor<2x2xf64>, tensor<2x4xf64>, tensor<2x4xf64>
  }
}
