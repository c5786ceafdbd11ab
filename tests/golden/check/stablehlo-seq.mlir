module @seq attributes {mhlo.num_partitions = 1 : i32} {
  func.func public @main(%arg0: tensor<6x8xf32> loc("x"), %arg1: tensor<8x4xf32> loc("w"), %arg2: tensor<4xf32> loc("b")) -> tensor<6x4xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32> loc(#loc1)
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<4xf32>) -> tensor<6x4xf32> loc(#loc2)
    %2 = stablehlo.add %0, %1 : tensor<6x4xf32> loc(#loc2)
    return %2 : tensor<6x4xf32>
  }
}
#loc1 = loc("dot"("model.py":3:4))
#loc2 = loc("add"("model.py":4:4))
