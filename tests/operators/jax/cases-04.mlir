module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x4x2xf64>, %arg1: tensor<4x2xf64>, %arg2: tensor<4x2xi32>, %arg3: tensor<6x5xf64>, %arg4: tensor<3x2x2xf64>, %arg5: tensor<3x2xi32>, %arg6: tensor<5x4x2xf64>, %arg7: tensor<4x2xf64>, %arg8: tensor<4x2xi32>, %arg9: tensor<6x5xf64>, %arg10: tensor<3x2x2xf64>, %arg11: tensor<3x2xi32>, %arg12: tensor<3x5x2xf64>, %arg13: tensor<3x2xf64>, %arg14: tensor<3xi32>, %arg15: tensor<6x2xf64>, %arg16: tensor<6xi32>, %arg17: tensor<6xi32>, %arg18: tensor<2x3x4xf64>, %arg19: tensor<4x3x2xf64>, %arg20: tensor<2x4x6x5xf64>, %arg21: tensor<3x4x3x2xf64>, %arg22: tensor<2x4x6x5xf64>, %arg23: tensor<3x4x3x2xf64>, %arg24: tensor<2x4x6x5xf64>, %arg25: tensor<3x4x3x2xf64>, %arg26: tensor<2x4x6x5xf64>, %arg27: tensor<3x4x3x2xf64>, %arg28: tensor<2x4x6x5xf64>, %arg29: tensor<3x4x3x2xf64>, %arg30: tensor<2x4x6x5xf64>, %arg31: tensor<3x4x3x2xf64>, %arg32: tensor<1x2x4xf64>, %arg33: tensor<3x2x3xf64>, %arg34: tensor<2x4x5xf64>, %arg35: tensor<6x2x3xf64>, %arg36: tensor<4x3x5xf64>, %arg37: tensor<4x3x2xf64>, %arg38: tensor<5x6xf64>, %arg39: tensor<4x2xf64>, %arg40: tensor<1xf64>, %arg41: tensor<3xf64>) -> (tensor<5x4x2xf64> {jax.result_info = "result[0]"}, tensor<6x5xf64> {jax.result_info = "result[1]"}, tensor<5x4x2xf64> {jax.result_info = "result[2]"}, tensor<6x5xf64> {jax.result_info = "result[3]"}, tensor<3x5x2xf64> {jax.result_info = "result[4]"}, tensor<4x2xf64> {jax.result_info = "result[5]"}, tensor<6x4xf64> {jax.result_info = "result[6]"}, tensor<2x2xf64> {jax.result_info = "result[7]"}, tensor<2x3x6x5xf64> {jax.result_info = "result[8]"}, tensor<2x3x2x4xf64> {jax.result_info = "result[9]"}, tensor<2x3x3x7xf64> {jax.result_info = "result[10]"}, tensor<2x3x3x5xf64> {jax.result_info = "result[11]"}, tensor<2x3x2x4xf64> {jax.result_info = "result[12]"}, tensor<2x3x3x7xf64> {jax.result_info = "result[13]"}, tensor<1x3x8xf64> {jax.result_info = "result[14]"}, tensor<2x6x6xf64> {jax.result_info = "result[15]"}, tensor<2x4x7xf64> {jax.result_info = "result[16]"}, tensor<3x6xf64> {jax.result_info = "result[17][0]"}, tensor<5x3xf64> {jax.result_info = "result[17][1]"}, tensor<2xf64> {jax.result_info = "result[18][0][0]"}, tensor<4x2xf64> {jax.result_info = "result[18][0][1]"}, tensor<2xf64> {jax.result_info = "result[18][1]"}, tensor<3xf64> {jax.result_info = "result[19]"}) {
    %0 = stablehlo.slice %arg2 [0:4, 0:1] : (tensor<4x2xi32>) -> tensor<4x1xi32>
    %1 = stablehlo.reshape %0 : (tensor<4x1xi32>) -> tensor<4xi32>
    %2 = stablehlo.slice %arg2 [0:4, 1:2] : (tensor<4x2xi32>) -> tensor<4x1xi32>
    %3 = stablehlo.reshape %2 : (tensor<4x1xi32>) -> tensor<4xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %5 = stablehlo.compare LT, %1, %4, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %c_0 = stablehlo.constant dense<5> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %7 = stablehlo.add %1, %6 : tensor<4xi32>
    %8 = stablehlo.select %5, %7, %1 : tensor<4xi1>, tensor<4xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %10 = stablehlo.compare LT, %3, %9, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %c_2 = stablehlo.constant dense<4> : tensor<i32>
    %11 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %12 = stablehlo.add %3, %11 : tensor<4xi32>
    %13 = stablehlo.select %10, %12, %3 : tensor<4xi1>, tensor<4xi32>
    %14 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
    %15 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
    %16 = stablehlo.concatenate %14, %15, dim = 1 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
    %17 = "stablehlo.scatter"(%arg0, %16, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg42: tensor<f64>, %arg43: tensor<f64>):
      stablehlo.return %arg43 : tensor<f64>
    }) : (tensor<5x4x2xf64>, tensor<4x2xi32>, tensor<4x2xf64>) -> tensor<5x4x2xf64>
    %18 = "stablehlo.scatter"(%arg3, %arg5, %arg4) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg42: tensor<f64>, %arg43: tensor<f64>):
      stablehlo.return %arg43 : tensor<f64>
    }) : (tensor<6x5xf64>, tensor<3x2xi32>, tensor<3x2x2xf64>) -> tensor<6x5xf64>
    %19 = stablehlo.slice %arg8 [0:4, 0:1] : (tensor<4x2xi32>) -> tensor<4x1xi32>
    %20 = stablehlo.reshape %19 : (tensor<4x1xi32>) -> tensor<4xi32>
    %21 = stablehlo.slice %arg8 [0:4, 1:2] : (tensor<4x2xi32>) -> tensor<4x1xi32>
    %22 = stablehlo.reshape %21 : (tensor<4x1xi32>) -> tensor<4xi32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %23 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %24 = stablehlo.compare LT, %20, %23, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %c_4 = stablehlo.constant dense<5> : tensor<i32>
    %25 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %26 = stablehlo.add %20, %25 : tensor<4xi32>
    %27 = stablehlo.select %24, %26, %20 : tensor<4xi1>, tensor<4xi32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %28 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %29 = stablehlo.compare LT, %22, %28, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %c_6 = stablehlo.constant dense<4> : tensor<i32>
    %30 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %31 = stablehlo.add %22, %30 : tensor<4xi32>
    %32 = stablehlo.select %29, %31, %22 : tensor<4xi1>, tensor<4xi32>
    %33 = stablehlo.broadcast_in_dim %27, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
    %35 = stablehlo.concatenate %33, %34, dim = 1 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
    %36 = "stablehlo.scatter"(%arg6, %35, %arg7) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg42: tensor<f64>, %arg43: tensor<f64>):
      %87 = stablehlo.add %arg42, %arg43 : tensor<f64>
      stablehlo.return %87 : tensor<f64>
    }) : (tensor<5x4x2xf64>, tensor<4x2xi32>, tensor<4x2xf64>) -> tensor<5x4x2xf64>
    %37 = "stablehlo.scatter"(%arg9, %arg11, %arg10) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg42: tensor<f64>, %arg43: tensor<f64>):
      %87 = stablehlo.add %arg42, %arg43 : tensor<f64>
      stablehlo.return %87 : tensor<f64>
    }) : (tensor<6x5xf64>, tensor<3x2xi32>, tensor<3x2x2xf64>) -> tensor<6x5xf64>
    %38 = stablehlo.broadcast_in_dim %arg13, dims = [0, 2] : (tensor<3x2xf64>) -> tensor<3x1x2xf64>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %39 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %40 = stablehlo.multiply %arg14, %39 : tensor<3xi32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %41 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %42 = stablehlo.compare LT, %arg14, %41, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_9 = stablehlo.constant dense<5> : tensor<i32>
    %43 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %44 = stablehlo.add %arg14, %43 : tensor<3xi32>
    %45 = stablehlo.select %42, %44, %arg14 : tensor<3xi1>, tensor<3xi32>
    %c_10 = stablehlo.constant dense<0> : tensor<i32>
    %46 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %47 = stablehlo.compare LT, %40, %46, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_11 = stablehlo.constant dense<2> : tensor<i32>
    %48 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %49 = stablehlo.add %40, %48 : tensor<3xi32>
    %50 = stablehlo.select %47, %49, %40 : tensor<3xi1>, tensor<3xi32>
    %51 = stablehlo.broadcast_in_dim %45, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %52 = stablehlo.broadcast_in_dim %50, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %53 = stablehlo.concatenate %51, %52, dim = 1 : (tensor<3x1xi32>, tensor<3x1xi32>) -> tensor<3x2xi32>
    %c_12 = stablehlo.constant dense<[4, 0]> : tensor<2xi32>
    %c_13 = stablehlo.constant dense<2147483647> : tensor<i32>
    %54 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %55 = stablehlo.minimum %c_12, %54 : tensor<2xi32>
    %56 = stablehlo.broadcast_in_dim %55, dims = [1] : (tensor<2xi32>) -> tensor<3x2xi32>
    %c_14 = stablehlo.constant dense<0> : tensor<i32>
    %57 = stablehlo.broadcast_in_dim %c_14, dims = [] : (tensor<i32>) -> tensor<3x2xi32>
    %58 = stablehlo.clamp %57, %53, %56 : tensor<3x2xi32>
    %59 = "stablehlo.scatter"(%arg12, %58, %38) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%arg42: tensor<f64>, %arg43: tensor<f64>):
      stablehlo.return %arg43 : tensor<f64>
    }) : (tensor<3x5x2xf64>, tensor<3x2xi32>, tensor<3x1x2xf64>) -> tensor<3x5x2xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %60 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<4x2xf64>
    %61 = stablehlo.broadcast_in_dim %arg16, dims = [0] : (tensor<6xi32>) -> tensor<6x1xi32>
    %62 = "stablehlo.scatter"(%60, %61, %arg15) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg42: tensor<f64>, %arg43: tensor<f64>):
      %87 = stablehlo.add %arg42, %arg43 : tensor<f64>
      stablehlo.return %87 : tensor<f64>
    }) : (tensor<4x2xf64>, tensor<6x1xi32>, tensor<6x2xf64>) -> tensor<4x2xf64>
    %63 = call @_one_hot(%arg17) : (tensor<6xi32>) -> tensor<6x4xf64>
    %64 = stablehlo.dot_general %arg18, %arg19, contracting_dims = [1, 2] x [1, 0], precision = [DEFAULT, DEFAULT] : (tensor<2x3x4xf64>, tensor<4x3x2xf64>) -> tensor<2x2xf64>
    %65 = stablehlo.convolution(%arg20, %arg21) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[2, 2], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [2, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x6x5xf64>, tensor<3x4x3x2xf64>) -> tensor<2x3x6x5xf64>
    %66 = stablehlo.convolution(%arg22, %arg23) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [2, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x6x5xf64>, tensor<3x4x3x2xf64>) -> tensor<2x3x2x4xf64>
    %67 = stablehlo.convolution(%arg24, %arg25) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 0], [2, 1]], lhs_dilate = [1, 1], rhs_dilate = [2, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x6x5xf64>, tensor<3x4x3x2xf64>) -> tensor<2x3x3x7xf64>
    %68 = stablehlo.convolution(%arg26, %arg27) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 1], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x6x5xf64>, tensor<3x4x3x2xf64>) -> tensor<2x3x3x5xf64>
    %69 = stablehlo.convolution(%arg28, %arg29) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x6x5xf64>, tensor<3x4x3x2xf64>) -> tensor<2x3x2x4xf64>
    %70 = stablehlo.convolution(%arg30, %arg31) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 1], pad = [[1, 0], [2, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x6x5xf64>, tensor<3x4x3x2xf64>) -> tensor<2x3x3x7xf64>
    %71 = stablehlo.convolution(%arg32, %arg33) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1], pad = [[2, 1]], lhs_dilate = [2], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x2x4xf64>, tensor<3x2x3xf64>) -> tensor<1x3x8xf64>
    %72 = stablehlo.convolution(%arg34, %arg35) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1], pad = [[2, 1]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x5xf64>, tensor<6x2x3xf64>) -> tensor<2x6x6xf64>
    %73 = stablehlo.convolution(%arg36, %arg37) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1], pad = [[2, 1]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]} {batch_group_count = 2 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x3x5xf64>, tensor<4x3x2xf64>) -> tensor<2x4x7xf64>
    %cst_15 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %74 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f64>) -> tensor<f64>
    %75 = "stablehlo.reduce_window"(%arg38, %74) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 1], [1, 1]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 1>}> ({
    ^bb0(%arg42: tensor<f64>, %arg43: tensor<f64>):
      %87 = stablehlo.maximum %arg42, %arg43 : tensor<f64>
      stablehlo.return %87 : tensor<f64>
    }) : (tensor<5x6xf64>, tensor<f64>) -> tensor<3x6xf64>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %76 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f64>) -> tensor<f64>
    %77 = "stablehlo.reduce_window"(%arg38, %76) <{base_dilations = array<i64: 1, 1>, padding = dense<[[1, 0], [0, 1]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 1, 2>}> ({
    ^bb0(%arg42: tensor<f64>, %arg43: tensor<f64>):
      %87 = stablehlo.add %arg42, %arg43 : tensor<f64>
      stablehlo.return %87 : tensor<f64>
    }) : (tensor<5x6xf64>, tensor<f64>) -> tensor<5x3xf64>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %78 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %79 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f64>) -> tensor<4x2xf64>
    %c_19 = stablehlo.constant dense<0> : tensor<i64>
    %80:4 = stablehlo.while(%iterArg = %arg39, %iterArg_24 = %c_19, %iterArg_25 = %78, %iterArg_26 = %79) : tensor<4x2xf64>, tensor<i64>, tensor<2xf64>, tensor<4x2xf64>
    cond {
      %c_27 = stablehlo.constant dense<4> : tensor<i64>
      %87 = stablehlo.compare LT, %iterArg_24, %c_27, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %87 : tensor<i1>
    } do {
      %87 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_24) : (tensor<4x2xf64>, tensor<i64>) -> tensor<2xf64>
      %88:2 = func.call @closed_call(%iterArg_25, %87) : (tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
      %89 = func.call @dynamic_update_index_in_dim(%iterArg_26, %88#1, %iterArg_24) : (tensor<4x2xf64>, tensor<2xf64>, tensor<i64>) -> tensor<4x2xf64>
      %c_27 = stablehlo.constant dense<1> : tensor<i64>
      %90 = stablehlo.add %iterArg_24, %c_27 : tensor<i64>
      stablehlo.return %iterArg, %90, %88#0, %89 : tensor<4x2xf64>, tensor<i64>, tensor<2xf64>, tensor<4x2xf64>
    }
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %81 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %c_21 = stablehlo.constant dense<0> : tensor<i64>
    %c_22 = stablehlo.constant dense<0> : tensor<i64>
    %82:4 = stablehlo.while(%iterArg = %arg39, %iterArg_24 = %c_22, %iterArg_25 = %c_21, %iterArg_26 = %81) : tensor<4x2xf64>, tensor<i64>, tensor<i64>, tensor<2xf64>
    cond {
      %c_27 = stablehlo.constant dense<4> : tensor<i64>
      %87 = stablehlo.compare LT, %iterArg_24, %c_27, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %87 : tensor<i1>
    } do {
      %87:2 = func.call @closed_call_0(%iterArg, %iterArg_25, %iterArg_26) : (tensor<4x2xf64>, tensor<i64>, tensor<2xf64>) -> (tensor<i64>, tensor<2xf64>)
      %c_27 = stablehlo.constant dense<1> : tensor<i64>
      %88 = stablehlo.add %iterArg_24, %c_27 : tensor<i64>
      stablehlo.return %iterArg, %88, %87#0, %87#1 : tensor<4x2xf64>, tensor<i64>, tensor<i64>, tensor<2xf64>
    }
    %83 = stablehlo.reshape %arg40 : (tensor<1xf64>) -> tensor<f64>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %84 = stablehlo.compare GT, %83, %cst_23, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %85 = stablehlo.convert %84 : (tensor<i1>) -> tensor<i32>
    %86 = "stablehlo.case"(%85) ({
      %cst_24 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
      %87 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %88 = stablehlo.subtract %arg41, %87 : tensor<3xf64>
      stablehlo.return %88 : tensor<3xf64>
    }, {
      %cst_24 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
      %87 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f64>) -> tensor<3xf64>
      %88 = stablehlo.multiply %arg41, %87 : tensor<3xf64>
      stablehlo.return %88 : tensor<3xf64>
    }) : (tensor<i32>) -> tensor<3xf64>
    return %17, %18, %36, %37, %59, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %75, %77, %80#2, %80#3, %82#3, %86 : tensor<5x4x2xf64>, tensor<6x5xf64>, tensor<5x4x2xf64>, tensor<6x5xf64>, tensor<3x5x2xf64>, tensor<4x2xf64>, tensor<6x4xf64>, tensor<2x2xf64>, tensor<2x3x6x5xf64>, tensor<2x3x2x4xf64>, tensor<2x3x3x7xf64>, tensor<2x3x3x5xf64>, tensor<2x3x2x4xf64>, tensor<2x3x3x7xf64>, tensor<1x3x8xf64>, tensor<2x6x6xf64>, tensor<2x4x7xf64>, tensor<3x6xf64>, tensor<5x3xf64>, tensor<2xf64>, tensor<4x2xf64>, tensor<2xf64>, tensor<3xf64>
  }
  func.func private @_one_hot(%arg0: tensor<6xi32>) -> tensor<6x4xf64> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<6xi32>) -> tensor<6x1xi32>
    %1 = stablehlo.iota dim = 1 : tensor<1x4xi32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<6x1xi32>) -> tensor<6x4xi32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x4xi32>) -> tensor<6x4xi32>
    %4 = stablehlo.compare EQ, %2, %3, SIGNED : (tensor<6x4xi32>, tensor<6x4xi32>) -> tensor<6x4xi1>
    %5 = stablehlo.convert %4 : (tensor<6x4xi1>) -> tensor<6x4xf64>
    return %5 : tensor<6x4xf64>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<4x2xf64>, %arg1: tensor<i64>) -> tensor<2xf64> {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 2] : (tensor<4x2xf64>, tensor<i64>, tensor<i64>) -> tensor<1x2xf64>
    %1 = stablehlo.reshape %0 : (tensor<1x2xf64>) -> tensor<2xf64>
    return %1 : tensor<2xf64>
  }
  func.func private @closed_call(%arg0: tensor<2xf64>, %arg1: tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>) {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %1 = stablehlo.divide %arg0, %0 : tensor<2xf64>
    %2 = stablehlo.add %1, %arg1 : tensor<2xf64>
    return %2, %arg0 : tensor<2xf64>, tensor<2xf64>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<4x2xf64>, %arg1: tensor<2xf64>, %arg2: tensor<i64>) -> tensor<4x2xf64> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<2xf64>) -> tensor<1x2xf64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<4x2xf64>, tensor<1x2xf64>, tensor<i64>, tensor<i64>) -> tensor<4x2xf64>
    return %1 : tensor<4x2xf64>
  }
  func.func private @closed_call_0(%arg0: tensor<4x2xf64>, %arg1: tensor<i64>, %arg2: tensor<2xf64>) -> (tensor<i64>, tensor<2xf64>) {
    %c = stablehlo.constant dense<1> : tensor<i64>
    %0 = stablehlo.add %arg1, %c : tensor<i64>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %2 = stablehlo.divide %arg2, %1 : tensor<2xf64>
    %3 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.compare LT, %3, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_1 = stablehlo.constant dense<4> : tensor<i32>
    %5 = stablehlo.add %3, %c_1 : tensor<i32>
    %6 = stablehlo.select %4, %5, %3 : tensor<i1>, tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.compare LT, %c_2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %c_5 = stablehlo.constant dense<2> : tensor<i32>
    %8 = stablehlo.add %c_4, %c_5 : tensor<i32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.select %7, %8, %c_6 : tensor<i1>, tensor<i32>
    %10 = stablehlo.dynamic_slice %arg0, %6, %9, sizes = [1, 2] : (tensor<4x2xf64>, tensor<i32>, tensor<i32>) -> tensor<1x2xf64>
    %11 = stablehlo.reshape %10 : (tensor<1x2xf64>) -> tensor<2xf64>
    %12 = stablehlo.add %2, %11 : tensor<2xf64>
    return %0, %12 : tensor<i64>, tensor<2xf64>
  }
}
