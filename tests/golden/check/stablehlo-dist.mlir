module @dist attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["tp"=2]>
  func.func public @main(%arg0: tensor<6x8xf32> loc("x"), %arg1: tensor<8x4xf32> loc("w"), %arg2: tensor<4xf32> loc("b")) -> tensor<6x4xf32> {
    %0 = sdy.manual_computation(%arg0, %arg1, %arg2) in_shardings=[<@mesh, [{}, {"tp"}]>, <@mesh, [{"tp"}, {}]>, <@mesh, [{}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"tp"} (%arg3: tensor<6x4xf32>, %arg4: tensor<4x4xf32>, %arg5: tensor<4xf32>) {
      %1 = stablehlo.dot_general %arg3, %arg4, contracting_dims = [1] x [0] : (tensor<6x4xf32>, tensor<4x4xf32>) -> tensor<6x4xf32> loc(#loc1)
      %4 = "stablehlo.all_reduce"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
        %5 = stablehlo.add %arg6, %arg7 : tensor<f32>
        stablehlo.return %5 : tensor<f32>
      }) : (tensor<6x4xf32>) -> tensor<6x4xf32> loc(#loc3)
      %2 = stablehlo.broadcast_in_dim %arg5, dims = [1] : (tensor<4xf32>) -> tensor<6x4xf32> loc(#loc2)
      %3 = stablehlo.add %4, %2 : tensor<6x4xf32> loc(#loc2)
      sdy.return %3 : tensor<6x4xf32>
    } : (tensor<6x8xf32>, tensor<8x4xf32>, tensor<4xf32>) -> tensor<6x4xf32>
    return %0 : tensor<6x4xf32>
  }
}
#loc1 = loc("dot"("tp.py":7:4))
#loc2 = loc("add"("tp.py":8:4))
#loc3 = loc("psum"("tp.py":9:4))
