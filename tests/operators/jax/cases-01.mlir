module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<10xf64>, %arg1: tensor<10xf64>, %arg2: tensor<10xf64>, %arg3: tensor<10xf64>, %arg4: tensor<10xf64>, %arg5: tensor<10xf64>, %arg6: tensor<10xf64>, %arg7: tensor<10xf64>, %arg8: tensor<10xf64>, %arg9: tensor<10xf64>, %arg10: tensor<10xf64>, %arg11: tensor<10xf64>, %arg12: tensor<10xf64>, %arg13: tensor<10xf64>, %arg14: tensor<10xf64>, %arg15: tensor<10xf64>, %arg16: tensor<10xf64>, %arg17: tensor<10xf64>, %arg18: tensor<10xf64>, %arg19: tensor<10xf64>) -> (tensor<10xf64> {jax.result_info = "result[0]"}, tensor<10xf64> {jax.result_info = "result[1]"}, tensor<10xf64> {jax.result_info = "result[2]"}, tensor<10xf64> {jax.result_info = "result[3]"}, tensor<10xf64> {jax.result_info = "result[4]"}, tensor<10xf64> {jax.result_info = "result[5]"}, tensor<10xf64> {jax.result_info = "result[6]"}, tensor<10xf64> {jax.result_info = "result[7]"}, tensor<10xf64> {jax.result_info = "result[8]"}, tensor<10xf64> {jax.result_info = "result[9]"}, tensor<10xf64> {jax.result_info = "result[10]"}, tensor<10xf64> {jax.result_info = "result[11]"}, tensor<10xf64> {jax.result_info = "result[12]"}, tensor<10xf64> {jax.result_info = "result[13]"}, tensor<10xf64> {jax.result_info = "result[14]"}, tensor<10xf64> {jax.result_info = "result[15]"}, tensor<10xf64> {jax.result_info = "result[16]"}, tensor<10xf64> {jax.result_info = "result[17]"}, tensor<10xf64> {jax.result_info = "result[18]"}, tensor<10xf64> {jax.result_info = "result[19]"}) {
    %0 = stablehlo.floor %arg0 : tensor<10xf64>
    %1 = stablehlo.ceil %arg1 : tensor<10xf64>
    %2 = stablehlo.sign %arg2 : tensor<10xf64>
    %3 = stablehlo.abs %arg3 : tensor<10xf64>
    %4 = stablehlo.exponential %arg4 : tensor<10xf64>
    %5 = stablehlo.tanh %arg5 : tensor<10xf64>
    %6 = stablehlo.sine %arg6 : tensor<10xf64>
    %7 = stablehlo.cosine %arg7 : tensor<10xf64>
    %8 = chlo.square %arg8 : tensor<10xf64> -> tensor<10xf64>
    %9 = stablehlo.exponential_minus_one %arg9 : tensor<10xf64>
    %10 = call @trunc(%arg10) : (tensor<10xf64>) -> tensor<10xf64>
    %11 = call @sinc(%arg11) : (tensor<10xf64>) -> tensor<10xf64>
    %12 = stablehlo.negate %arg12 : tensor<10xf64>
    %13 = stablehlo.exponential %12 : tensor<10xf64>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<10xf64>
    %15 = stablehlo.add %14, %13 : tensor<10xf64>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %16 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<10xf64>
    %17 = stablehlo.divide %16, %15 : tensor<10xf64>
    %18 = stablehlo.cbrt %arg13 : tensor<10xf64>
    %19 = chlo.erf %arg14 : tensor<10xf64> -> tensor<10xf64>
    %20 = chlo.erfc %arg15 : tensor<10xf64> -> tensor<10xf64>
    %21 = stablehlo.round_nearest_afz %arg16 : tensor<10xf64>
    %22 = stablehlo.round_nearest_even %arg17 : tensor<10xf64>
    %23 = stablehlo.multiply %arg18, %arg18 : tensor<10xf64>
    %24 = stablehlo.multiply %23, %arg18 : tensor<10xf64>
    %cst_1 = stablehlo.constant dense<4.471500e-02> : tensor<f64>
    %25 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<10xf64>
    %26 = stablehlo.multiply %25, %24 : tensor<10xf64>
    %27 = stablehlo.add %arg18, %26 : tensor<10xf64>
    %cst_2 = stablehlo.constant dense<0.79788456080286541> : tensor<f64>
    %28 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<10xf64>
    %29 = stablehlo.multiply %28, %27 : tensor<10xf64>
    %30 = stablehlo.tanh %29 : tensor<10xf64>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %31 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<10xf64>
    %32 = stablehlo.add %31, %30 : tensor<10xf64>
    %cst_4 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %33 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f64>) -> tensor<10xf64>
    %34 = stablehlo.multiply %33, %32 : tensor<10xf64>
    %35 = stablehlo.multiply %arg18, %34 : tensor<10xf64>
    %36 = call @silu(%arg19) : (tensor<10xf64>) -> tensor<10xf64>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %17, %18, %19, %20, %21, %22, %35, %36 : tensor<10xf64>, tensor<10xf64>, tensor<10xf64>, tensor<10xf64>, tensor<10xf64>, tensor<10xf64>, tensor<10xf64>, tensor<10xf64>, tensor<10xf64>, tensor<10xf64>, tensor<10xf64>, tensor<10xf64>, tensor<10xf64>, tensor<10xf64>, tensor<10xf64>, tensor<10xf64>, tensor<10xf64>, tensor<10xf64>, tensor<10xf64>, tensor<10xf64>
  }
  func.func private @trunc(%arg0: tensor<10xf64>) -> tensor<10xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<10xf64>
    %1 = stablehlo.compare LT, %arg0, %0, FLOAT : (tensor<10xf64>, tensor<10xf64>) -> tensor<10xi1>
    %2 = stablehlo.ceil %arg0 : tensor<10xf64>
    %3 = stablehlo.floor %arg0 : tensor<10xf64>
    %4 = call @_where(%1, %2, %3) : (tensor<10xi1>, tensor<10xf64>, tensor<10xf64>) -> tensor<10xf64>
    return %4 : tensor<10xf64>
  }
  func.func private @_where(%arg0: tensor<10xi1>, %arg1: tensor<10xf64>, %arg2: tensor<10xf64>) -> tensor<10xf64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<10xi1>, tensor<10xf64>
    return %0 : tensor<10xf64>
  }
  func.func private @sinc(%arg0: tensor<10xf64>) -> tensor<10xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<10xf64>
    %1 = stablehlo.compare EQ, %arg0, %0, FLOAT : (tensor<10xf64>, tensor<10xf64>) -> tensor<10xi1>
    %cst_0 = stablehlo.constant dense<3.1415926535897931> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<10xf64>
    %3 = stablehlo.multiply %2, %arg0 : tensor<10xf64>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %4 = call @_where_0(%1, %cst_1, %3) : (tensor<10xi1>, tensor<f64>, tensor<10xf64>) -> tensor<10xf64>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %5 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<10xf64>
    %6 = stablehlo.multiply %3, %5 : tensor<10xf64>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %7 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<10xf64>
    %8 = stablehlo.add %6, %7 : tensor<10xf64>
    %9 = stablehlo.sine %4 : tensor<10xf64>
    %10 = stablehlo.divide %9, %4 : tensor<10xf64>
    %11 = call @_where(%1, %8, %10) : (tensor<10xi1>, tensor<10xf64>, tensor<10xf64>) -> tensor<10xf64>
    return %11 : tensor<10xf64>
  }
  func.func private @_where_0(%arg0: tensor<10xi1>, %arg1: tensor<f64>, %arg2: tensor<10xf64>) -> tensor<10xf64> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f64>) -> tensor<10xf64>
    %1 = stablehlo.select %arg0, %0, %arg2 : tensor<10xi1>, tensor<10xf64>
    return %1 : tensor<10xf64>
  }
  func.func private @silu(%arg0: tensor<10xf64>) -> tensor<10xf64> {
    %0 = stablehlo.negate %arg0 : tensor<10xf64>
    %1 = stablehlo.exponential %0 : tensor<10xf64>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<10xf64>
    %3 = stablehlo.add %2, %1 : tensor<10xf64>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<10xf64>
    %5 = stablehlo.divide %4, %3 : tensor<10xf64>
    %6 = stablehlo.multiply %arg0, %5 : tensor<10xf64>
    return %6 : tensor<10xf64>
  }
}
