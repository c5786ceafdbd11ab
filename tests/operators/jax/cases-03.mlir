module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3xui64>, %arg1: tensor<10xf64>, %arg2: tensor<10xf64>, %arg3: tensor<3x4x2xf64>, %arg4: tensor<4x5xf64>, %arg5: tensor<2x5xf64>, %arg6: tensor<2x5xf64>, %arg7: tensor<2x5xf64>, %arg8: tensor<2x5xf64>, %arg9: tensor<3x6xf64>, %arg10: tensor<3x5xf64>, %arg11: tensor<4x4xf64>, %arg12: tensor<4x2xf64>, %arg13: tensor<5xi32>, %arg14: tensor<4x2xf64>, %arg15: tensor<5xi32>, %arg16: tensor<4x2xf64>, %arg17: tensor<5xi32>, %arg18: tensor<4x6xf64>, %arg19: tensor<2xi64>, %arg20: tensor<4x6xf64>, %arg21: tensor<2x2xf64>, %arg22: tensor<2xi32>, %arg23: tensor<5x2xf64>, %arg24: tensor<4x2xf64>, %arg25: tensor<4xi32>, %arg26: tensor<5x2xf64>, %arg27: tensor<4x2xf64>, %arg28: tensor<4xi32>, %arg29: tensor<5x2xf64>, %arg30: tensor<4x2xf64>, %arg31: tensor<4xi32>) -> (tensor<3xui64> {jax.result_info = "result[0]"}, tensor<10xi32> {jax.result_info = "result[1][0]"}, tensor<10xi1> {jax.result_info = "result[1][1]"}, tensor<10xui8> {jax.result_info = "result[1][2]"}, tensor<10xf64> {jax.result_info = "result[2]"}, tensor<3x2xf64> {jax.result_info = "result[3][0]"}, tensor<3x2xf64> {jax.result_info = "result[3][1]"}, tensor<4xf64> {jax.result_info = "result[3][2]"}, tensor<f64> {jax.result_info = "result[3][3]"}, tensor<4x2xf64> {jax.result_info = "result[3][4]"}, tensor<4x2xf64> {jax.result_info = "result[3][5]"}, tensor<4xi64> {jax.result_info = "result[4][0]"}, tensor<5xi64> {jax.result_info = "result[4][1]"}, tensor<i64> {jax.result_info = "result[4][2]"}, tensor<2x5xf64> {jax.result_info = "result[5][0]"}, tensor<2x5xf64> {jax.result_info = "result[5][1]"}, tensor<2x5xf64> {jax.result_info = "result[6][0]"}, tensor<2x5xf64> {jax.result_info = "result[6][1]"}, tensor<2x5xf64> {jax.result_info = "result[7][0]"}, tensor<2x5xf64> {jax.result_info = "result[7][1]"}, tensor<2x5xf64> {jax.result_info = "result[8][0]"}, tensor<2x5xf64> {jax.result_info = "result[8][1]"}, tensor<3x6xf64> {jax.result_info = "result[9][0]"}, tensor<3x6xi64> {jax.result_info = "result[9][1]"}, tensor<3x2xf64> {jax.result_info = "result[9][2]"}, tensor<3x2xi32> {jax.result_info = "result[9][3]"}, tensor<4x8xf64> {jax.result_info = "result[10][0]"}, tensor<3x3xf64> {jax.result_info = "result[10][1]"}, tensor<3x5xf64> {jax.result_info = "result[10][2]"}, tensor<4x4xf64> {jax.result_info = "result[11][0]"}, tensor<4x4xf64> {jax.result_info = "result[11][1]"}, tensor<4xf64> {jax.result_info = "result[11][2]"}, tensor<5x2xf64> {jax.result_info = "result[12]"}, tensor<5x2xf64> {jax.result_info = "result[13]"}, tensor<5x2xf64> {jax.result_info = "result[14]"}, tensor<2x3xf64> {jax.result_info = "result[15]"}, tensor<4x6xf64> {jax.result_info = "result[16]"}, tensor<5x2xf64> {jax.result_info = "result[17]"}, tensor<5x2xf64> {jax.result_info = "result[18]"}, tensor<5x2xf64> {jax.result_info = "result[19]"}) {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<3xui64>
    %1 = stablehlo.multiply %0, %arg0 : tensor<3xui64>
    %2 = stablehlo.convert %arg1 : (tensor<10xf64>) -> tensor<10xi32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<10xf64>
    %4 = stablehlo.compare NE, %arg1, %3, FLOAT : (tensor<10xf64>, tensor<10xf64>) -> tensor<10xi1>
    %5 = stablehlo.convert %4 : tensor<10xi1>
    %6 = stablehlo.abs %arg1 : tensor<10xf64>
    %7 = stablehlo.convert %6 : (tensor<10xf64>) -> tensor<10xui8>
    %cst_0 = stablehlo.constant dense<5.000000e+00> : tensor<f64>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<10xf64>
    %9 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<10xf64>
    %10 = stablehlo.clamp %8, %arg2, %9 : tensor<10xf64>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %11 = stablehlo.reduce(%arg3 init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<3x4x2xf64>, tensor<f64>) -> tensor<3x2xf64>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %12 = stablehlo.reduce(%arg3 init: %cst_3) applies stablehlo.multiply across dimensions = [1] : (tensor<3x4x2xf64>, tensor<f64>) -> tensor<3x2xf64>
    %cst_4 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %13 = stablehlo.reduce(%arg3 init: %cst_4) applies stablehlo.maximum across dimensions = [0, 2] : (tensor<3x4x2xf64>, tensor<f64>) -> tensor<4xf64>
    %cst_5 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %14 = stablehlo.reduce(%arg3 init: %cst_5) applies stablehlo.minimum across dimensions = [0, 1, 2] : (tensor<3x4x2xf64>, tensor<f64>) -> tensor<f64>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %15 = stablehlo.reduce(%arg3 init: %cst_6) applies stablehlo.add across dimensions = [0] : (tensor<3x4x2xf64>, tensor<f64>) -> tensor<4x2xf64>
    %cst_7 = stablehlo.constant dense<3.000000e+00> : tensor<f64>
    %16 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f64>) -> tensor<4x2xf64>
    %17 = stablehlo.divide %15, %16 : tensor<4x2xf64>
    %c = stablehlo.constant dense<1> : tensor<i64>
    %18 = call @_var(%arg3, %c) : (tensor<3x4x2xf64>, tensor<i64>) -> tensor<4x2xf64>
    %19 = call @argmax(%arg4) : (tensor<4x5xf64>) -> tensor<4xi64>
    %20 = call @argmin(%arg4) : (tensor<4x5xf64>) -> tensor<5xi64>
    %21 = stablehlo.reshape %arg4 : (tensor<4x5xf64>) -> tensor<20xf64>
    %22 = call @argmax_0(%21) : (tensor<20xf64>) -> tensor<i64>
    %23 = call @cumsum(%arg5) : (tensor<2x5xf64>) -> tensor<2x5xf64>
    %24 = call @cumsum_1(%arg5) : (tensor<2x5xf64>) -> tensor<2x5xf64>
    %25 = call @cumprod(%arg6) : (tensor<2x5xf64>) -> tensor<2x5xf64>
    %26 = call @cumprod_2(%arg6) : (tensor<2x5xf64>) -> tensor<2x5xf64>
    %27 = call @cummax(%arg7) : (tensor<2x5xf64>) -> tensor<2x5xf64>
    %28 = call @cummax_3(%arg7) : (tensor<2x5xf64>) -> tensor<2x5xf64>
    %29 = call @cumlogsumexp(%arg8) : (tensor<2x5xf64>) -> tensor<2x5xf64>
    %30 = call @cumlogsumexp_4(%arg8) : (tensor<2x5xf64>) -> tensor<2x5xf64>
    %31 = call @sort(%arg9) : (tensor<3x6xf64>) -> tensor<3x6xf64>
    %32 = call @argsort(%arg9) : (tensor<3x6xf64>) -> tensor<3x6xi64>
    %values, %indices = chlo.top_k(%arg9, k = 2) : tensor<3x6xf64> -> (tensor<3x2xf64>, tensor<3x2xi32>)
    %cst_8 = stablehlo.constant dense<9.000000e+00> : tensor<f64>
    %33 = stablehlo.pad %arg10, %cst_8, low = [-1, 1], high = [2, -2], interior = [0, 1] : (tensor<3x5xf64>, tensor<f64>) -> tensor<4x8xf64>
    %34 = stablehlo.slice %arg10 [0:3, 0:5:2] : (tensor<3x5xf64>) -> tensor<3x3xf64>
    %35 = stablehlo.reverse %34, dims = [0] : tensor<3x3xf64>
    %36 = call @_roll_static(%arg10) : (tensor<3x5xf64>) -> tensor<3x5xf64>
    %37 = call @tril(%arg11) : (tensor<4x4xf64>) -> tensor<4x4xf64>
    %38 = call @triu(%arg11) : (tensor<4x4xf64>) -> tensor<4x4xf64>
    %39 = call @_diag(%arg11) : (tensor<4x4xf64>) -> tensor<4xf64>
    %40 = call @_take(%arg12, %arg13) : (tensor<4x2xf64>, tensor<5xi32>) -> tensor<5x2xf64>
    %41 = call @_take_5(%arg14, %arg15) : (tensor<4x2xf64>, tensor<5xi32>) -> tensor<5x2xf64>
    %42 = call @_take_7(%arg16, %arg17) : (tensor<4x2xf64>, tensor<5xi32>) -> tensor<5x2xf64>
    %43 = stablehlo.slice %arg19 [0:1] : (tensor<2xi64>) -> tensor<1xi64>
    %44 = stablehlo.reshape %43 : (tensor<1xi64>) -> tensor<i64>
    %45 = stablehlo.slice %arg19 [1:2] : (tensor<2xi64>) -> tensor<1xi64>
    %46 = stablehlo.reshape %45 : (tensor<1xi64>) -> tensor<i64>
    %c_9 = stablehlo.constant dense<0> : tensor<i64>
    %47 = stablehlo.compare LT, %44, %c_9, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %c_10 = stablehlo.constant dense<4> : tensor<i64>
    %48 = stablehlo.add %44, %c_10 : tensor<i64>
    %49 = stablehlo.select %47, %48, %44 : tensor<i1>, tensor<i64>
    %c_11 = stablehlo.constant dense<0> : tensor<i64>
    %50 = stablehlo.compare LT, %46, %c_11, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %c_12 = stablehlo.constant dense<6> : tensor<i64>
    %51 = stablehlo.add %46, %c_12 : tensor<i64>
    %52 = stablehlo.select %50, %51, %46 : tensor<i1>, tensor<i64>
    %53 = stablehlo.dynamic_slice %arg18, %49, %52, sizes = [2, 3] : (tensor<4x6xf64>, tensor<i64>, tensor<i64>) -> tensor<2x3xf64>
    %54 = stablehlo.slice %arg22 [0:1] : (tensor<2xi32>) -> tensor<1xi32>
    %55 = stablehlo.reshape %54 : (tensor<1xi32>) -> tensor<i32>
    %56 = stablehlo.slice %arg22 [1:2] : (tensor<2xi32>) -> tensor<1xi32>
    %57 = stablehlo.reshape %56 : (tensor<1xi32>) -> tensor<i32>
    %c_13 = stablehlo.constant dense<0> : tensor<i32>
    %58 = stablehlo.compare LT, %55, %c_13, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_14 = stablehlo.constant dense<4> : tensor<i32>
    %59 = stablehlo.add %55, %c_14 : tensor<i32>
    %60 = stablehlo.select %58, %59, %55 : tensor<i1>, tensor<i32>
    %c_15 = stablehlo.constant dense<0> : tensor<i32>
    %61 = stablehlo.compare LT, %57, %c_15, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_16 = stablehlo.constant dense<6> : tensor<i32>
    %62 = stablehlo.add %57, %c_16 : tensor<i32>
    %63 = stablehlo.select %61, %62, %57 : tensor<i1>, tensor<i32>
    %64 = stablehlo.dynamic_update_slice %arg20, %arg21, %60, %63 : (tensor<4x6xf64>, tensor<2x2xf64>, tensor<i32>, tensor<i32>) -> tensor<4x6xf64>
    %c_17 = stablehlo.constant dense<0> : tensor<i32>
    %65 = stablehlo.broadcast_in_dim %c_17, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %66 = stablehlo.compare LT, %arg25, %65, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %c_18 = stablehlo.constant dense<5> : tensor<i32>
    %67 = stablehlo.broadcast_in_dim %c_18, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %68 = stablehlo.add %arg25, %67 : tensor<4xi32>
    %69 = stablehlo.select %66, %68, %arg25 : tensor<4xi1>, tensor<4xi32>
    %70 = stablehlo.broadcast_in_dim %69, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
    %71 = "stablehlo.scatter"(%arg23, %70, %arg24) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg32: tensor<f64>, %arg33: tensor<f64>):
      %86 = stablehlo.add %arg32, %arg33 : tensor<f64>
      stablehlo.return %86 : tensor<f64>
    }) : (tensor<5x2xf64>, tensor<4x1xi32>, tensor<4x2xf64>) -> tensor<5x2xf64>
    %c_19 = stablehlo.constant dense<0> : tensor<i32>
    %72 = stablehlo.broadcast_in_dim %c_19, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %73 = stablehlo.compare LT, %arg28, %72, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %c_20 = stablehlo.constant dense<5> : tensor<i32>
    %74 = stablehlo.broadcast_in_dim %c_20, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %75 = stablehlo.add %arg28, %74 : tensor<4xi32>
    %76 = stablehlo.select %73, %75, %arg28 : tensor<4xi1>, tensor<4xi32>
    %77 = stablehlo.broadcast_in_dim %76, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
    %78 = "stablehlo.scatter"(%arg26, %77, %arg27) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg32: tensor<f64>, %arg33: tensor<f64>):
      %86 = stablehlo.minimum %arg32, %arg33 : tensor<f64>
      stablehlo.return %86 : tensor<f64>
    }) : (tensor<5x2xf64>, tensor<4x1xi32>, tensor<4x2xf64>) -> tensor<5x2xf64>
    %c_21 = stablehlo.constant dense<0> : tensor<i32>
    %79 = stablehlo.broadcast_in_dim %c_21, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %80 = stablehlo.compare LT, %arg31, %79, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %c_22 = stablehlo.constant dense<5> : tensor<i32>
    %81 = stablehlo.broadcast_in_dim %c_22, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %82 = stablehlo.add %arg31, %81 : tensor<4xi32>
    %83 = stablehlo.select %80, %82, %arg31 : tensor<4xi1>, tensor<4xi32>
    %84 = stablehlo.broadcast_in_dim %83, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
    %85 = "stablehlo.scatter"(%arg29, %84, %arg30) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg32: tensor<f64>, %arg33: tensor<f64>):
      %86 = stablehlo.maximum %arg32, %arg33 : tensor<f64>
      stablehlo.return %86 : tensor<f64>
    }) : (tensor<5x2xf64>, tensor<4x1xi32>, tensor<4x2xf64>) -> tensor<5x2xf64>
    return %1, %2, %5, %7, %10, %11, %12, %13, %14, %17, %18, %19, %20, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %values, %indices, %33, %35, %36, %37, %38, %39, %40, %41, %42, %53, %64, %71, %78, %85 : tensor<3xui64>, tensor<10xi32>, tensor<10xi1>, tensor<10xui8>, tensor<10xf64>, tensor<3x2xf64>, tensor<3x2xf64>, tensor<4xf64>, tensor<f64>, tensor<4x2xf64>, tensor<4x2xf64>, tensor<4xi64>, tensor<5xi64>, tensor<i64>, tensor<2x5xf64>, tensor<2x5xf64>, tensor<2x5xf64>, tensor<2x5xf64>, tensor<2x5xf64>, tensor<2x5xf64>, tensor<2x5xf64>, tensor<2x5xf64>, tensor<3x6xf64>, tensor<3x6xi64>, tensor<3x2xf64>, tensor<3x2xi32>, tensor<4x8xf64>, tensor<3x3xf64>, tensor<3x5xf64>, tensor<4x4xf64>, tensor<4x4xf64>, tensor<4xf64>, tensor<5x2xf64>, tensor<5x2xf64>, tensor<5x2xf64>, tensor<2x3xf64>, tensor<4x6xf64>, tensor<5x2xf64>, tensor<5x2xf64>, tensor<5x2xf64>
  }
  func.func private @_var(%arg0: tensor<3x4x2xf64>, %arg1: tensor<i64>) -> tensor<4x2xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<3x4x2xf64>, tensor<f64>) -> tensor<4x2xf64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [1, 2] : (tensor<4x2xf64>) -> tensor<1x4x2xf64>
    %cst_0 = stablehlo.constant dense<3.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<1x4x2xf64>
    %3 = stablehlo.divide %1, %2 : tensor<1x4x2xf64>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<1x4x2xf64>) -> tensor<3x4x2xf64>
    %5 = stablehlo.subtract %arg0, %4 : tensor<3x4x2xf64>
    %6 = chlo.square %5 : tensor<3x4x2xf64> -> tensor<3x4x2xf64>
    %7 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<f64>
    %cst_1 = stablehlo.constant dense<3.000000e+00> : tensor<f64>
    %8 = stablehlo.subtract %cst_1, %7 : tensor<f64>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %9 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<3x4x2xf64>, tensor<f64>) -> tensor<4x2xf64>
    %10 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f64>) -> tensor<4x2xf64>
    %11 = stablehlo.divide %9, %10 : tensor<4x2xf64>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %12 = stablehlo.compare GT, %8, %cst_3, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %cst_4 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %13 = call @_where(%12, %11, %cst_4) : (tensor<i1>, tensor<4x2xf64>, tensor<f64>) -> tensor<4x2xf64>
    return %13 : tensor<4x2xf64>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<4x2xf64>, %arg2: tensor<f64>) -> tensor<4x2xf64> {
    %0 = stablehlo.convert %arg2 : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f64>) -> tensor<4x2xf64>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<i1>, tensor<4x2xf64>
    return %2 : tensor<4x2xf64>
  }
  func.func private @argmax(%arg0: tensor<4x5xf64>) -> tensor<4xi64> {
    %0 = stablehlo.iota dim = 1 : tensor<4x5xi64>
    %cst = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [1] : (tensor<4x5xf64>, tensor<4x5xi64>, tensor<f64>, tensor<i64>) -> (tensor<4xf64>, tensor<4xi64>)
     reducer(%arg1: tensor<f64>, %arg3: tensor<f64>) (%arg2: tensor<i64>, %arg4: tensor<i64>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f64>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i64>
      stablehlo.return %9, %10 : tensor<f64>, tensor<i64>
    }
    return %1#1 : tensor<4xi64>
  }
  func.func private @argmin(%arg0: tensor<4x5xf64>) -> tensor<5xi64> {
    %0 = stablehlo.iota dim = 0 : tensor<4x5xi64>
    %cst = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [0] : (tensor<4x5xf64>, tensor<4x5xi64>, tensor<f64>, tensor<i64>) -> (tensor<5xf64>, tensor<5xi64>)
     reducer(%arg1: tensor<f64>, %arg3: tensor<f64>) (%arg2: tensor<i64>, %arg4: tensor<i64>)  {
      %2 = stablehlo.compare LT, %arg1, %arg3, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f64>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i64>
      stablehlo.return %9, %10 : tensor<f64>, tensor<i64>
    }
    return %1#1 : tensor<5xi64>
  }
  func.func private @argmax_0(%arg0: tensor<20xf64>) -> tensor<i64> {
    %0 = stablehlo.iota dim = 0 : tensor<20xi64>
    %cst = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [0] : (tensor<20xf64>, tensor<20xi64>, tensor<f64>, tensor<i64>) -> (tensor<f64>, tensor<i64>)
     reducer(%arg1: tensor<f64>, %arg3: tensor<f64>) (%arg2: tensor<i64>, %arg4: tensor<i64>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f64>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i64>
      stablehlo.return %9, %10 : tensor<f64>, tensor<i64>
    }
    return %1#1 : tensor<i64>
  }
  func.func private @cumsum(%arg0: tensor<2x5xf64>) -> tensor<2x5xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<f64>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [4, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 5>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f64>, %arg2: tensor<f64>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f64>
      stablehlo.return %2 : tensor<f64>
    }) : (tensor<2x5xf64>, tensor<f64>) -> tensor<2x5xf64>
    return %1 : tensor<2x5xf64>
  }
  func.func private @cumsum_1(%arg0: tensor<2x5xf64>) -> tensor<2x5xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<f64>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [0, 4]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 5>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f64>, %arg2: tensor<f64>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f64>
      stablehlo.return %2 : tensor<f64>
    }) : (tensor<2x5xf64>, tensor<f64>) -> tensor<2x5xf64>
    return %1 : tensor<2x5xf64>
  }
  func.func private @cumprod(%arg0: tensor<2x5xf64>) -> tensor<2x5xf64> {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %0 = "stablehlo.reduce_window"(%arg0, %cst) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [4, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 5>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f64>, %arg2: tensor<f64>):
      %1 = stablehlo.multiply %arg1, %arg2 : tensor<f64>
      stablehlo.return %1 : tensor<f64>
    }) : (tensor<2x5xf64>, tensor<f64>) -> tensor<2x5xf64>
    return %0 : tensor<2x5xf64>
  }
  func.func private @cumprod_2(%arg0: tensor<2x5xf64>) -> tensor<2x5xf64> {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %0 = "stablehlo.reduce_window"(%arg0, %cst) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [0, 4]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 5>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f64>, %arg2: tensor<f64>):
      %1 = stablehlo.multiply %arg1, %arg2 : tensor<f64>
      stablehlo.return %1 : tensor<f64>
    }) : (tensor<2x5xf64>, tensor<f64>) -> tensor<2x5xf64>
    return %0 : tensor<2x5xf64>
  }
  func.func private @cummax(%arg0: tensor<2x5xf64>) -> tensor<2x5xf64> {
    %cst = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<f64>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [4, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 5>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f64>, %arg2: tensor<f64>):
      %2 = stablehlo.maximum %arg1, %arg2 : tensor<f64>
      stablehlo.return %2 : tensor<f64>
    }) : (tensor<2x5xf64>, tensor<f64>) -> tensor<2x5xf64>
    return %1 : tensor<2x5xf64>
  }
  func.func private @cummax_3(%arg0: tensor<2x5xf64>) -> tensor<2x5xf64> {
    %cst = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<f64>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [0, 4]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 5>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f64>, %arg2: tensor<f64>):
      %2 = stablehlo.maximum %arg1, %arg2 : tensor<f64>
      stablehlo.return %2 : tensor<f64>
    }) : (tensor<2x5xf64>, tensor<f64>) -> tensor<2x5xf64>
    return %1 : tensor<2x5xf64>
  }
  func.func private @cumlogsumexp(%arg0: tensor<2x5xf64>) -> tensor<2x5xf64> {
    %cst = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %0 = "stablehlo.reduce_window"(%arg0, %cst) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [4, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 5>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f64>, %arg2: tensor<f64>):
      %1 = stablehlo.maximum %arg1, %arg2 : tensor<f64>
      %2 = stablehlo.subtract %arg1, %arg2 : tensor<f64>
      %3 = stablehlo.compare NE, %2, %2, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %4 = stablehlo.add %arg1, %arg2 : tensor<f64>
      %5 = stablehlo.abs %2 : tensor<f64>
      %6 = stablehlo.negate %5 : tensor<f64>
      %7 = stablehlo.exponential %6 : tensor<f64>
      %8 = stablehlo.log_plus_one %7 : tensor<f64>
      %9 = stablehlo.add %1, %8 : tensor<f64>
      %10 = stablehlo.select %3, %4, %9 : tensor<i1>, tensor<f64>
      stablehlo.return %10 : tensor<f64>
    }) : (tensor<2x5xf64>, tensor<f64>) -> tensor<2x5xf64>
    return %0 : tensor<2x5xf64>
  }
  func.func private @cumlogsumexp_4(%arg0: tensor<2x5xf64>) -> tensor<2x5xf64> {
    %cst = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %0 = "stablehlo.reduce_window"(%arg0, %cst) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [0, 4]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 5>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f64>, %arg2: tensor<f64>):
      %1 = stablehlo.maximum %arg1, %arg2 : tensor<f64>
      %2 = stablehlo.subtract %arg1, %arg2 : tensor<f64>
      %3 = stablehlo.compare NE, %2, %2, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %4 = stablehlo.add %arg1, %arg2 : tensor<f64>
      %5 = stablehlo.abs %2 : tensor<f64>
      %6 = stablehlo.negate %5 : tensor<f64>
      %7 = stablehlo.exponential %6 : tensor<f64>
      %8 = stablehlo.log_plus_one %7 : tensor<f64>
      %9 = stablehlo.add %1, %8 : tensor<f64>
      %10 = stablehlo.select %3, %4, %9 : tensor<i1>, tensor<f64>
      stablehlo.return %10 : tensor<f64>
    }) : (tensor<2x5xf64>, tensor<f64>) -> tensor<2x5xf64>
    return %0 : tensor<2x5xf64>
  }
  func.func private @sort(%arg0: tensor<3x6xf64>) -> tensor<3x6xf64> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f64>, %arg2: tensor<f64>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %1 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %2 = stablehlo.select %1, %cst_0, %arg1 : tensor<i1>, tensor<f64>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
      %4 = stablehlo.select %3, %cst_1, %2 : tensor<i1>, tensor<f64>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %5 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %6 = stablehlo.select %5, %cst_3, %arg2 : tensor<i1>, tensor<f64>
      %7 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
      %8 = stablehlo.select %7, %cst_4, %6 : tensor<i1>, tensor<f64>
      %9 = stablehlo.compare LT, %4, %8, TOTALORDER : (tensor<f64>, tensor<f64>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }) : (tensor<3x6xf64>) -> tensor<3x6xf64>
    return %0 : tensor<3x6xf64>
  }
  func.func private @argsort(%arg0: tensor<3x6xf64>) -> tensor<3x6xi64> {
    %0 = stablehlo.iota dim = 1 : tensor<3x6xi64>
    %1:2 = "stablehlo.sort"(%arg0, %0) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f64>, %arg2: tensor<f64>, %arg3: tensor<i64>, %arg4: tensor<i64>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %2 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %3 = stablehlo.select %2, %cst_0, %arg1 : tensor<i1>, tensor<f64>
      %4 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
      %5 = stablehlo.select %4, %cst_1, %3 : tensor<i1>, tensor<f64>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %6 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %7 = stablehlo.select %6, %cst_3, %arg2 : tensor<i1>, tensor<f64>
      %8 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
      %9 = stablehlo.select %8, %cst_4, %7 : tensor<i1>, tensor<f64>
      %10 = stablehlo.compare LT, %5, %9, TOTALORDER : (tensor<f64>, tensor<f64>) -> tensor<i1>
      stablehlo.return %10 : tensor<i1>
    }) : (tensor<3x6xf64>, tensor<3x6xi64>) -> (tensor<3x6xf64>, tensor<3x6xi64>)
    return %1#1 : tensor<3x6xi64>
  }
  func.func private @_roll_static(%arg0: tensor<3x5xf64>) -> tensor<3x5xf64> {
    %0 = stablehlo.slice %arg0 [0:3, 3:5] : (tensor<3x5xf64>) -> tensor<3x2xf64>
    %1 = stablehlo.slice %arg0 [0:3, 0:3] : (tensor<3x5xf64>) -> tensor<3x3xf64>
    %2 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<3x2xf64>, tensor<3x3xf64>) -> tensor<3x5xf64>
    return %2 : tensor<3x5xf64>
  }
  func.func private @tril(%arg0: tensor<4x4xf64>) -> tensor<4x4xf64> {
    %0 = stablehlo.iota dim = 0 : tensor<4x4xi64>
    %c = stablehlo.constant dense<-1> : tensor<i64>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<4x4xi64>
    %2 = stablehlo.add %0, %1 : tensor<4x4xi64>
    %3 = stablehlo.iota dim = 1 : tensor<4x4xi64>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<4x4xi64>, tensor<4x4xi64>) -> tensor<4x4xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<4x4xf64>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<4x4xi1>, tensor<4x4xf64>
    return %6 : tensor<4x4xf64>
  }
  func.func private @triu(%arg0: tensor<4x4xf64>) -> tensor<4x4xf64> {
    %0 = stablehlo.iota dim = 0 : tensor<4x4xi64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<4x4xi64>
    %2 = stablehlo.add %0, %1 : tensor<4x4xi64>
    %3 = stablehlo.iota dim = 1 : tensor<4x4xi64>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<4x4xi64>, tensor<4x4xi64>) -> tensor<4x4xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<4x4xf64>
    %6 = stablehlo.select %4, %5, %arg0 : tensor<4x4xi1>, tensor<4x4xf64>
    return %6 : tensor<4x4xf64>
  }
  func.func private @_diag(%arg0: tensor<4x4xf64>) -> tensor<4xf64> {
    %0 = call @diagonal(%arg0) : (tensor<4x4xf64>) -> tensor<4xf64>
    return %0 : tensor<4xf64>
  }
  func.func private @diagonal(%arg0: tensor<4x4xf64>) -> tensor<4xf64> {
    %0 = stablehlo.iota dim = 0 : tensor<4x4xi64>
    %1 = stablehlo.iota dim = 1 : tensor<4x4xi64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<4x4xi64>
    %3 = stablehlo.add %0, %2 : tensor<4x4xi64>
    %4 = stablehlo.compare EQ, %3, %1, SIGNED : (tensor<4x4xi64>, tensor<4x4xi64>) -> tensor<4x4xi1>
    %5 = stablehlo.convert %4 : (tensor<4x4xi1>) -> tensor<4x4xf64>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %6 = "stablehlo.case"(%c_0) ({
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      stablehlo.return %c_1 : tensor<i32>
    }, {
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      stablehlo.return %c_1 : tensor<i32>
    }) : (tensor<i32>) -> tensor<i32>
    %7 = "stablehlo.case"(%6) ({
      %8 = stablehlo.iota dim = 0 : tensor<4xi64>
      %9 = stablehlo.iota dim = 0 : tensor<4xi64>
      %c_1 = stablehlo.constant dense<0> : tensor<i64>
      %10 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i64>) -> tensor<4xi64>
      %11 = stablehlo.compare LT, %8, %10, SIGNED : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
      %c_2 = stablehlo.constant dense<4> : tensor<i64>
      %12 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i64>) -> tensor<4xi64>
      %13 = stablehlo.add %8, %12 : tensor<4xi64>
      %14 = stablehlo.select %11, %13, %8 : tensor<4xi1>, tensor<4xi64>
      %c_3 = stablehlo.constant dense<0> : tensor<i64>
      %15 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i64>) -> tensor<4xi64>
      %16 = stablehlo.compare LT, %9, %15, SIGNED : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
      %c_4 = stablehlo.constant dense<4> : tensor<i64>
      %17 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i64>) -> tensor<4xi64>
      %18 = stablehlo.add %9, %17 : tensor<4xi64>
      %19 = stablehlo.select %16, %18, %9 : tensor<4xi1>, tensor<4xi64>
      %20 = stablehlo.convert %14 : (tensor<4xi64>) -> tensor<4xi32>
      %21 = stablehlo.convert %19 : (tensor<4xi64>) -> tensor<4xi32>
      %22 = stablehlo.broadcast_in_dim %20, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
      %23 = stablehlo.broadcast_in_dim %21, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
      %24 = stablehlo.concatenate %22, %23, dim = 1 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
      %25 = "stablehlo.gather"(%arg0, %24) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x4xf64>, tensor<4x2xi32>) -> tensor<4xf64>
      stablehlo.return %25 : tensor<4xf64>
    }) : (tensor<i32>) -> tensor<4xf64>
    return %7 : tensor<4xf64>
  }
  func.func private @_take(%arg0: tensor<4x2xf64>, %arg1: tensor<5xi32>) -> tensor<5x2xf64> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<5xi32>) -> tensor<5x1xi32>
    %1 = "stablehlo.gather"(%arg0, %0) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 2>}> : (tensor<4x2xf64>, tensor<5x1xi32>) -> tensor<5x2xf64>
    return %1 : tensor<5x2xf64>
  }
  func.func private @_take_5(%arg0: tensor<4x2xf64>, %arg1: tensor<5xi32>) -> tensor<5x2xf64> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %c_0 = stablehlo.constant dense<4> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<5xi32>
    %4 = call @_where_6(%1, %3, %arg1) : (tensor<5xi1>, tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<5xi32>) -> tensor<5x1xi32>
    %c_1 = stablehlo.constant dense<3> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<5x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<5x1xi32>, tensor<5x1xi32>) -> tensor<5x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [1] : (tensor<1xi32>) -> tensor<1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<1x1xi32>) -> tensor<5x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<5x1xi32>, tensor<5x1xi32>) -> tensor<5x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<5x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [1] : (tensor<5x1xi1>, tensor<i1>) -> tensor<5xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 2>}> : (tensor<4x2xf64>, tensor<5x1xi32>) -> tensor<5x2xf64>
    %14 = stablehlo.broadcast_in_dim %12, dims = [0] : (tensor<5xi1>) -> tensor<5x2xi1>
    %cst = stablehlo.constant dense<7.000000e+00> : tensor<f64>
    %15 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<5x2xf64>
    %16 = stablehlo.select %14, %13, %15 : tensor<5x2xi1>, tensor<5x2xf64>
    return %16 : tensor<5x2xf64>
  }
  func.func private @_where_6(%arg0: tensor<5xi1>, %arg1: tensor<5xi32>, %arg2: tensor<5xi32>) -> tensor<5xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<5xi1>, tensor<5xi32>
    return %0 : tensor<5xi32>
  }
  func.func private @_take_7(%arg0: tensor<4x2xf64>, %arg1: tensor<5xi32>) -> tensor<5x2xf64> {
    %c = stablehlo.constant dense<4> : tensor<i32>
    %0 = call @remainder(%arg1, %c) : (tensor<5xi32>, tensor<i32>) -> tensor<5xi32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<5xi32>) -> tensor<5x1xi32>
    %2 = "stablehlo.gather"(%arg0, %1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 2>}> : (tensor<4x2xf64>, tensor<5x1xi32>) -> tensor<5x2xf64>
    return %2 : tensor<5x2xf64>
  }
  func.func private @remainder(%arg0: tensor<5xi32>, %arg1: tensor<i32>) -> tensor<5xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare EQ, %arg1, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1 = call @_where_8(%0, %c_0, %arg1) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %3 = stablehlo.remainder %arg0, %2 : tensor<5xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %5 = stablehlo.compare NE, %3, %4, SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %7 = stablehlo.compare LT, %3, %6, SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %8 = stablehlo.compare LT, %1, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %9 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<i1>) -> tensor<5xi1>
    %10 = stablehlo.compare NE, %7, %9, UNSIGNED : (tensor<5xi1>, tensor<5xi1>) -> tensor<5xi1>
    %11 = stablehlo.and %10, %5 : tensor<5xi1>
    %12 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %13 = stablehlo.add %3, %12 : tensor<5xi32>
    %14 = stablehlo.select %11, %13, %3 : tensor<5xi1>, tensor<5xi32>
    return %14 : tensor<5xi32>
  }
  func.func private @_where_8(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
}
