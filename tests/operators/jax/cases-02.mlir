module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<10xf64>, %arg1: tensor<10xf64>, %arg2: tensor<10xf64>, %arg3: tensor<10xf64>, %arg4: tensor<10xf64>, %arg5: tensor<10xf64>, %arg6: tensor<10xf64>, %arg7: tensor<10xf64>, %arg8: tensor<10xf64>, %arg9: tensor<10xf64>, %arg10: tensor<10xf64>, %arg11: tensor<10xf64>, %arg12: tensor<10xf64>, %arg13: tensor<8xi32>, %arg14: tensor<8xi32>, %arg15: tensor<8xi32>, %arg16: tensor<8xi32>, %arg17: tensor<8xi32>, %arg18: tensor<8xi32>, %arg19: tensor<8xi32>, %arg20: tensor<8xi32>, %arg21: tensor<8xi32>, %arg22: tensor<8xi32>, %arg23: tensor<8xi32>, %arg24: tensor<8xi32>, %arg25: tensor<8xi32>, %arg26: tensor<8xi32>, %arg27: tensor<8xi32>, %arg28: tensor<8xi32>, %arg29: tensor<3xui8>, %arg30: tensor<3xui32>) -> (tensor<10xf64> {jax.result_info = "result[0]"}, tensor<10xf64> {jax.result_info = "result[1]"}, tensor<10xf64> {jax.result_info = "result[2]"}, tensor<10xf64> {jax.result_info = "result[3]"}, tensor<10xf64> {jax.result_info = "result[4]"}, tensor<10xf64> {jax.result_info = "result[5]"}, tensor<10xf64> {jax.result_info = "result[6]"}, tensor<10xf64> {jax.result_info = "result[7]"}, tensor<10xf64> {jax.result_info = "result[8]"}, tensor<8xi32> {jax.result_info = "result[9]"}, tensor<8xi32> {jax.result_info = "result[10]"}, tensor<8xi32> {jax.result_info = "result[11]"}, tensor<8xi32> {jax.result_info = "result[12]"}, tensor<8xi32> {jax.result_info = "result[13]"}, tensor<8xi32> {jax.result_info = "result[14]"}, tensor<8xi32> {jax.result_info = "result[15]"}, tensor<8xi32> {jax.result_info = "result[16]"}, tensor<8xi16> {jax.result_info = "result[17]"}, tensor<3xui8> {jax.result_info = "result[18][0]"}, tensor<3xui8> {jax.result_info = "result[18][1]"}, tensor<3xui8> {jax.result_info = "result[18][2]"}, tensor<3xui8> {jax.result_info = "result[18][3]"}, tensor<ui8> {jax.result_info = "result[18][4]"}, tensor<3xui32> {jax.result_info = "result[19][0]"}, tensor<3xui32> {jax.result_info = "result[19][1]"}, tensor<3xui32> {jax.result_info = "result[19][2]"}) {
    %c = stablehlo.constant dense<0> : tensor<2xi64>
    %c_0 = stablehlo.constant dense<false> : tensor<2xi1>
    %0 = call @softplus(%arg0) : (tensor<10xf64>) -> tensor<10xf64>
    %1 = call @relu6(%arg1) : (tensor<10xf64>) -> tensor<10xf64>
    %2 = call @elu(%arg2) : (tensor<10xf64>) -> tensor<10xf64>
    %3 = call @leaky_relu(%arg3) : (tensor<10xf64>) -> tensor<10xf64>
    %4 = call @log_sigmoid(%arg4) : (tensor<10xf64>) -> tensor<10xf64>
    %5 = stablehlo.remainder %arg5, %arg6 : tensor<10xf64>
    %6 = call @remainder(%arg7, %arg8) : (tensor<10xf64>, tensor<10xf64>) -> tensor<10xf64>
    %7 = call @floor_divide(%arg9, %arg10) : (tensor<10xf64>, tensor<10xf64>) -> tensor<10xf64>
    %8 = stablehlo.atan2 %arg11, %arg12 : tensor<10xf64>
    %9 = stablehlo.remainder %arg13, %arg14 : tensor<8xi32>
    %10 = call @remainder_1(%arg15, %arg16) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %11 = stablehlo.divide %arg17, %arg18 : tensor<8xi32>
    %12 = call @floor_divide_3(%arg19, %arg20) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %13 = stablehlo.and %arg21, %arg22 : tensor<8xi32>
    %14 = stablehlo.or %arg23, %arg24 : tensor<8xi32>
    %15 = stablehlo.xor %arg25, %arg26 : tensor<8xi32>
    %c_1 = stablehlo.constant dense<2> : tensor<i32>
    %16 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %17 = stablehlo.shift_left %arg27, %16 : tensor<8xi32>
    %c_2 = stablehlo.constant dense<1> : tensor<i32>
    %18 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %19 = stablehlo.shift_right_arithmetic %arg27, %18 : tensor<8xi32>
    %20 = stablehlo.add %17, %19 : tensor<8xi32>
    %c_3 = stablehlo.constant dense<100> : tensor<i32>
    %21 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %22 = stablehlo.multiply %arg28, %21 : tensor<8xi32>
    %23 = stablehlo.convert %22 : (tensor<8xi32>) -> tensor<8xi8>
    %24 = stablehlo.convert %arg28 : (tensor<8xi32>) -> tensor<8xui8>
    %25 = stablehlo.convert %23 : (tensor<8xi8>) -> tensor<8xi16>
    %26 = stablehlo.convert %24 : (tensor<8xui8>) -> tensor<8xi16>
    %27 = stablehlo.multiply %25, %26 : tensor<8xi16>
    %28 = call @cumsum(%arg29) : (tensor<3xui8>) -> tensor<3xui8>
    %29 = stablehlo.slice %arg29 [0:2] : (tensor<3xui8>) -> tensor<2xui8>
    %c_4 = stablehlo.constant dense<3> : tensor<i64>
    %30 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i64>) -> tensor<2xi64>
    %31 = stablehlo.add %c, %30 : tensor<2xi64>
    %32 = stablehlo.select %c_0, %31, %c : tensor<2xi1>, tensor<2xi64>
    %33 = stablehlo.convert %32 : (tensor<2xi64>) -> tensor<2xi32>
    %34 = stablehlo.broadcast_in_dim %33, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %35 = "stablehlo.scatter"(%arg29, %34, %29) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg31: tensor<ui8>, %arg32: tensor<ui8>):
      %45 = stablehlo.add %arg31, %arg32 : tensor<ui8>
      stablehlo.return %45 : tensor<ui8>
    }) : (tensor<3xui8>, tensor<2x1xi32>, tensor<2xui8>) -> tensor<3xui8>
    %36 = stablehlo.add %arg29, %arg29 : tensor<3xui8>
    %37 = stablehlo.multiply %arg29, %arg29 : tensor<3xui8>
    %c_5 = stablehlo.constant dense<0> : tensor<ui8>
    %38 = stablehlo.reduce(%arg29 init: %c_5) applies stablehlo.add across dimensions = [0] : (tensor<3xui8>, tensor<ui8>) -> tensor<ui8>
    %c_6 = stablehlo.constant dense<30> : tensor<ui32>
    %39 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %40 = stablehlo.shift_left %arg30, %39 : tensor<3xui32>
    %c_7 = stablehlo.constant dense<30> : tensor<ui32>
    %41 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %42 = stablehlo.shift_right_logical %arg30, %41 : tensor<3xui32>
    %c_8 = stablehlo.constant dense<8> : tensor<i64>
    %43 = call @remainder_4(%arg30, %c_8) : (tensor<3xui32>, tensor<i64>) -> tensor<3xui32>
    %44 = stablehlo.shift_right_arithmetic %arg30, %43 : tensor<3xui32>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %20, %27, %28, %35, %36, %37, %38, %40, %42, %44 : tensor<10xf64>, tensor<10xf64>, tensor<10xf64>, tensor<10xf64>, tensor<10xf64>, tensor<10xf64>, tensor<10xf64>, tensor<10xf64>, tensor<10xf64>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi16>, tensor<3xui8>, tensor<3xui8>, tensor<3xui8>, tensor<3xui8>, tensor<ui8>, tensor<3xui32>, tensor<3xui32>, tensor<3xui32>
  }
  func.func private @softplus(%arg0: tensor<10xf64>) -> tensor<10xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<10xf64>
    %1 = stablehlo.maximum %arg0, %0 : tensor<10xf64>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<10xf64>
    %3 = stablehlo.subtract %arg0, %2 : tensor<10xf64>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<10xf64>, tensor<10xf64>) -> tensor<10xi1>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<10xf64>
    %6 = stablehlo.add %arg0, %5 : tensor<10xf64>
    %7 = stablehlo.abs %3 : tensor<10xf64>
    %8 = stablehlo.negate %7 : tensor<10xf64>
    %9 = stablehlo.exponential %8 : tensor<10xf64>
    %10 = stablehlo.log_plus_one %9 : tensor<10xf64>
    %11 = stablehlo.add %1, %10 : tensor<10xf64>
    %12 = stablehlo.select %4, %6, %11 : tensor<10xi1>, tensor<10xf64>
    return %12 : tensor<10xf64>
  }
  func.func private @relu6(%arg0: tensor<10xf64>) -> tensor<10xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<10xf64>
    %1 = stablehlo.maximum %arg0, %0 : tensor<10xf64>
    %cst_0 = stablehlo.constant dense<6.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<10xf64>
    %3 = stablehlo.minimum %1, %2 : tensor<10xf64>
    return %3 : tensor<10xf64>
  }
  func.func private @elu(%arg0: tensor<10xf64>) -> tensor<10xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<10xf64>
    %1 = stablehlo.compare GT, %arg0, %0, FLOAT : (tensor<10xf64>, tensor<10xf64>) -> tensor<10xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<10xf64>
    %3 = stablehlo.compare GT, %arg0, %2, FLOAT : (tensor<10xf64>, tensor<10xf64>) -> tensor<10xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %4 = call @_where(%3, %cst_1, %arg0) : (tensor<10xi1>, tensor<f64>, tensor<10xf64>) -> tensor<10xf64>
    %5 = stablehlo.exponential_minus_one %4 : tensor<10xf64>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %6 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<10xf64>
    %7 = stablehlo.multiply %6, %5 : tensor<10xf64>
    %8 = call @_where_0(%1, %arg0, %7) : (tensor<10xi1>, tensor<10xf64>, tensor<10xf64>) -> tensor<10xf64>
    return %8 : tensor<10xf64>
  }
  func.func private @_where(%arg0: tensor<10xi1>, %arg1: tensor<f64>, %arg2: tensor<10xf64>) -> tensor<10xf64> {
    %0 = stablehlo.convert %arg1 : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f64>) -> tensor<10xf64>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<10xi1>, tensor<10xf64>
    return %2 : tensor<10xf64>
  }
  func.func private @_where_0(%arg0: tensor<10xi1>, %arg1: tensor<10xf64>, %arg2: tensor<10xf64>) -> tensor<10xf64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<10xi1>, tensor<10xf64>
    return %0 : tensor<10xf64>
  }
  func.func private @leaky_relu(%arg0: tensor<10xf64>) -> tensor<10xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<10xf64>
    %1 = stablehlo.compare GE, %arg0, %0, FLOAT : (tensor<10xf64>, tensor<10xf64>) -> tensor<10xi1>
    %cst_0 = stablehlo.constant dense<1.000000e-02> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<10xf64>
    %3 = stablehlo.multiply %2, %arg0 : tensor<10xf64>
    %4 = call @_where_0(%1, %arg0, %3) : (tensor<10xi1>, tensor<10xf64>, tensor<10xf64>) -> tensor<10xf64>
    return %4 : tensor<10xf64>
  }
  func.func private @log_sigmoid(%arg0: tensor<10xf64>) -> tensor<10xf64> {
    %0 = stablehlo.negate %arg0 : tensor<10xf64>
    %1 = call @softplus(%0) : (tensor<10xf64>) -> tensor<10xf64>
    %2 = stablehlo.negate %1 : tensor<10xf64>
    return %2 : tensor<10xf64>
  }
  func.func private @remainder(%arg0: tensor<10xf64>, %arg1: tensor<10xf64>) -> tensor<10xf64> {
    %0 = stablehlo.remainder %arg0, %arg1 : tensor<10xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<10xf64>
    %2 = stablehlo.compare NE, %0, %1, FLOAT : (tensor<10xf64>, tensor<10xf64>) -> tensor<10xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<10xf64>
    %4 = stablehlo.compare LT, %0, %3, FLOAT : (tensor<10xf64>, tensor<10xf64>) -> tensor<10xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<10xf64>
    %6 = stablehlo.compare LT, %arg1, %5, FLOAT : (tensor<10xf64>, tensor<10xf64>) -> tensor<10xi1>
    %7 = stablehlo.compare NE, %4, %6, UNSIGNED : (tensor<10xi1>, tensor<10xi1>) -> tensor<10xi1>
    %8 = stablehlo.and %7, %2 : tensor<10xi1>
    %9 = stablehlo.add %0, %arg1 : tensor<10xf64>
    %10 = stablehlo.select %8, %9, %0 : tensor<10xi1>, tensor<10xf64>
    return %10 : tensor<10xf64>
  }
  func.func private @floor_divide(%arg0: tensor<10xf64>, %arg1: tensor<10xf64>) -> tensor<10xf64> {
    %0 = stablehlo.remainder %arg0, %arg1 : tensor<10xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<10xf64>
    %2 = stablehlo.compare EQ, %arg1, %1, FLOAT : (tensor<10xf64>, tensor<10xf64>) -> tensor<10xi1>
    %3 = stablehlo.subtract %arg0, %0 : tensor<10xf64>
    %4 = call @_where_0(%2, %arg0, %3) : (tensor<10xi1>, tensor<10xf64>, tensor<10xf64>) -> tensor<10xf64>
    %5 = stablehlo.divide %4, %arg1 : tensor<10xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<10xf64>
    %7 = stablehlo.compare NE, %0, %6, FLOAT : (tensor<10xf64>, tensor<10xf64>) -> tensor<10xi1>
    %8 = stablehlo.sign %arg1 : tensor<10xf64>
    %9 = stablehlo.sign %0 : tensor<10xf64>
    %10 = stablehlo.compare NE, %8, %9, FLOAT : (tensor<10xf64>, tensor<10xf64>) -> tensor<10xi1>
    %11 = stablehlo.and %7, %10 : tensor<10xi1>
    %12 = stablehlo.add %0, %arg1 : tensor<10xf64>
    %13 = stablehlo.select %11, %12, %0 : tensor<10xi1>, tensor<10xf64>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %14 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<10xf64>
    %15 = stablehlo.subtract %5, %14 : tensor<10xf64>
    %16 = stablehlo.select %11, %15, %5 : tensor<10xi1>, tensor<10xf64>
    %17 = stablehlo.round_nearest_afz %16 : tensor<10xf64>
    return %17 : tensor<10xf64>
  }
  func.func private @remainder_1(%arg0: tensor<8xi32>, %arg1: tensor<8xi32>) -> tensor<8xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %1 = stablehlo.compare EQ, %arg1, %0, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %3 = call @_where_2(%1, %2, %arg1) : (tensor<8xi1>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<8xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %10 = stablehlo.compare LT, %3, %9, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<8xi1>, tensor<8xi1>) -> tensor<8xi1>
    %12 = stablehlo.and %11, %6 : tensor<8xi1>
    %13 = stablehlo.add %4, %3 : tensor<8xi32>
    %14 = stablehlo.select %12, %13, %4 : tensor<8xi1>, tensor<8xi32>
    return %14 : tensor<8xi32>
  }
  func.func private @_where_2(%arg0: tensor<8xi1>, %arg1: tensor<8xi32>, %arg2: tensor<8xi32>) -> tensor<8xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<8xi1>, tensor<8xi32>
    return %0 : tensor<8xi32>
  }
  func.func private @floor_divide_3(%arg0: tensor<8xi32>, %arg1: tensor<8xi32>) -> tensor<8xi32> {
    %0 = stablehlo.divide %arg0, %arg1 : tensor<8xi32>
    %1 = stablehlo.sign %arg0 : tensor<8xi32>
    %2 = stablehlo.sign %arg1 : tensor<8xi32>
    %3 = stablehlo.compare NE, %1, %2, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %4 = stablehlo.remainder %arg0, %arg1 : tensor<8xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %7 = stablehlo.and %3, %6 : tensor<8xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %8 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %9 = stablehlo.subtract %0, %8 : tensor<8xi32>
    %10 = call @_where_2(%7, %9, %0) : (tensor<8xi1>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    return %10 : tensor<8xi32>
  }
  func.func private @cumsum(%arg0: tensor<3xui8>) -> tensor<3xui8> {
    %c = stablehlo.constant dense<0> : tensor<ui8>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui8>) -> tensor<ui8>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1>, padding = dense<[[2, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 3>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<ui8>, %arg2: tensor<ui8>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<ui8>
      stablehlo.return %2 : tensor<ui8>
    }) : (tensor<3xui8>, tensor<ui8>) -> tensor<3xui8>
    return %1 : tensor<3xui8>
  }
  func.func private @remainder_4(%arg0: tensor<3xui32>, %arg1: tensor<i64>) -> tensor<3xui32> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<ui32>
    %c = stablehlo.constant dense<0> : tensor<ui32>
    %1 = stablehlo.compare EQ, %0, %c, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<ui32>
    %2 = call @_where_5(%1, %c_0, %0) : (tensor<i1>, tensor<ui32>, tensor<ui32>) -> tensor<ui32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<3xui32>
    %c_1 = stablehlo.constant dense<0> : tensor<ui32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %6 = stablehlo.compare NE, %4, %5, UNSIGNED : (tensor<3xui32>, tensor<3xui32>) -> tensor<3xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %8 = stablehlo.compare LT, %4, %7, UNSIGNED : (tensor<3xui32>, tensor<3xui32>) -> tensor<3xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<ui32>
    %9 = stablehlo.compare LT, %2, %c_3, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<3xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
    %12 = stablehlo.and %11, %6 : tensor<3xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %14 = stablehlo.add %4, %13 : tensor<3xui32>
    %15 = stablehlo.select %12, %14, %4 : tensor<3xi1>, tensor<3xui32>
    return %15 : tensor<3xui32>
  }
  func.func private @_where_5(%arg0: tensor<i1>, %arg1: tensor<ui32>, %arg2: tensor<ui32>) -> tensor<ui32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<ui32>
    return %0 : tensor<ui32>
  }
}
