"builtin.module"() <{sym_name = "jit_g"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["tp"=2]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "tp", size = 2 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<2x4xf64>, tensor<4x2xf64>) -> (tensor<2x2xf64>, tensor<2x4xf64>, tensor<2x4xf64>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<2x4xf64>, %arg1: tensor<4x2xf64>):
    %0:3 = "sdy.manual_computation"(%arg0, %arg1) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{}, {"tp"}]>, <@mesh, [{"tp"}, {}]>]>, manual_axes = #sdy<manual_axes{"tp"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{}, {}]>, <@mesh, [{}, {}]>, <@mesh, [{}, {"tp"}]>]>}> ({
    ^bb0(%arg2: tensor<2x2xf64>, %arg3: tensor<2x2xf64>):
      %1 = "stablehlo.dot_general"(%arg2, %arg3) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
      %2 = "stablehlo.all_reduce"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<f64>, %arg5: tensor<f64>):
        %5 = "stablehlo.add"(%arg4, %arg5) : (tensor<f64>, tensor<f64>) -> tensor<f64>
        "stablehlo.return"(%5) : (tensor<f64>) -> ()
      }) : (tensor<2x2xf64>) -> tensor<2x2xf64>
      %3 = "stablehlo.all_gather"(%arg2) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<2x2xf64>) -> tensor<2x4xf64>
      %4 = "stablehlo.collective_permute"(%arg2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<2x2xf64>) -> tensor<2x2xf64>
      "sdy.return"(%2, %3, %4) : (tensor<2x2xf64>, tensor<2x4xf64>, tensor<2x2xf64>) -> ()
    }) : (tensor<2x4xf64>, tensor<4x2xf64>) -> (tensor<2x2xf64>, tensor<2x4xf64>, tensor<2x4xf64>)
    "func.return"(%0#0, %0#1, %0#2) : (tensor<2x2xf64>, tensor<2x4xf64>, tensor<2x4xf64>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
