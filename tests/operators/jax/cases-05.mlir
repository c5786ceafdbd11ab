module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3x4xf64>, %arg1: tensor<2x3x4xf64>, %arg2: tensor<2x5xf64>, %arg3: tensor<2x3x4xf64>, %arg4: tensor<2x3x4xf64>, %arg5: tensor<2xi64>, %arg6: tensor<2x3x4xf64>, %arg7: tensor<2x3x4xf64>, %arg8: tensor<2x3x4xf64>, %arg9: tensor<2x3x4xf64>, %arg10: tensor<2x3x4xf64>, %arg11: tensor<5xf64>, %arg12: tensor<5xf64>, %arg13: tensor<5xf64>, %arg14: tensor<5xf64>, %arg15: tensor<5xf64>) -> (tensor<3x4xf64> {jax.result_info = "result[0][0][0]"}, tensor<3x4xf64> {jax.result_info = "result[0][0][1]"}, tensor<3x4xf64> {jax.result_info = "result[0][1][0]"}, tensor<3x4xf64> {jax.result_info = "result[0][1][1]"}, tensor<3x4xf64> {jax.result_info = "result[0][2][0]"}, tensor<3x4xf64> {jax.result_info = "result[0][2][1]"}, tensor<5xf64> {jax.result_info = "result[1][0][0][0]"}, tensor<5xf64> {jax.result_info = "result[1][0][0][1]"}, tensor<5xf64> {jax.result_info = "result[1][0][1][0]"}, tensor<5xf64> {jax.result_info = "result[1][0][1][1]"}, tensor<5xf64> {jax.result_info = "result[1][0][2][0]"}, tensor<5xf64> {jax.result_info = "result[1][0][2][1]"}, tensor<5xf64> {jax.result_info = "result[1][0][3][0]"}, tensor<5xf64> {jax.result_info = "result[1][0][3][1]"}, tensor<5xf64> {jax.result_info = "result[1][1]"}, tensor<4x3xf64> {jax.result_info = "result[2][0][0]"}, tensor<4x3xf64> {jax.result_info = "result[2][0][1]"}, tensor<2x4xf64> {jax.result_info = "result[2][1][0]"}, tensor<2x4xf64> {jax.result_info = "result[2][1][1]"}, tensor<6xf64> {jax.result_info = "result[2][2][0]"}, tensor<6xf64> {jax.result_info = "result[2][2][1]"}, tensor<3x4xf64> {jax.result_info = "result[2][3][0]"}, tensor<3x4xf64> {jax.result_info = "result[2][3][1]"}, tensor<3x2x4xf64> {jax.result_info = "result[2][4][0]"}, tensor<3x2x4xf64> {jax.result_info = "result[2][4][1]"}, tensor<3x4xf64> {jax.result_info = "result[2][5][0]"}, tensor<3x4xf64> {jax.result_info = "result[2][5][1]"}, tensor<3x4xf64> {jax.result_info = "result[2][6][0]"}, tensor<3x4xf64> {jax.result_info = "result[2][6][1]"}, tensor<2x2xf64> {jax.result_info = "result[3][0][0]"}, tensor<2x2xf64> {jax.result_info = "result[3][0][1]"}, tensor<3x4xf64> {jax.result_info = "result[3][1][0]"}, tensor<3x4xf64> {jax.result_info = "result[3][1][1]"}, tensor<3x4xf64> {jax.result_info = "result[4][0][0]"}, tensor<3x4xf64> {jax.result_info = "result[4][0][1]"}, tensor<4xf64> {jax.result_info = "result[4][1][0]"}, tensor<4xf64> {jax.result_info = "result[4][1][1]"}, tensor<5x6xf64> {jax.result_info = "result[4][2][0]"}, tensor<5x6xf64> {jax.result_info = "result[4][2][1]"}, tensor<2x4xf64> {jax.result_info = "result[4][3][0]"}, tensor<2x4xf64> {jax.result_info = "result[4][3][1]"}, tensor<3x3xf64> {jax.result_info = "result[4][4][0]"}, tensor<3x3xf64> {jax.result_info = "result[4][4][1]"}, tensor<3x4xf64> {jax.result_info = "result[4][5][0]"}, tensor<3x4xf64> {jax.result_info = "result[4][5][1]"}, tensor<3x4xf64> {jax.result_info = "result[5][0][0]"}, tensor<3x4xf64> {jax.result_info = "result[5][0][1]"}, tensor<3x4xf64> {jax.result_info = "result[5][1][0]"}, tensor<3x4xf64> {jax.result_info = "result[5][1][1]"}, tensor<3x4xf64> {jax.result_info = "result[5][2][0]"}, tensor<3x4xf64> {jax.result_info = "result[5][2][1]"}, tensor<3x3xf64> {jax.result_info = "result[5][3][0]"}, tensor<3x3xf64> {jax.result_info = "result[5][3][1]"}, tensor<2x4xf64> {jax.result_info = "result[5][4][0]"}, tensor<2x4xf64> {jax.result_info = "result[5][4][1]"}, tensor<3x3xf64> {jax.result_info = "result[5][5][0]"}, tensor<3x3xf64> {jax.result_info = "result[5][5][1]"}, tensor<3x6xf64> {jax.result_info = "result[6][0]"}, tensor<3x7xf64> {jax.result_info = "result[6][1]"}, tensor<4x4xf64> {jax.result_info = "result[6][2]"}, tensor<3x6xf64> {jax.result_info = "result[6][3]"}, tensor<3x1xf64> {jax.result_info = "result[6][4]"}, tensor<3x4xf64> {jax.result_info = "result[7][0][0]"}, tensor<3x4xf64> {jax.result_info = "result[7][0][1]"}, tensor<3x4xf64> {jax.result_info = "result[7][1][0]"}, tensor<3x4xf64> {jax.result_info = "result[7][1][1]"}, tensor<4xf64> {jax.result_info = "result[7][2][0]"}, tensor<4xf64> {jax.result_info = "result[7][2][1]"}, tensor<5xf64> {jax.result_info = "result[8]"}, tensor<5xf64> {jax.result_info = "result[9]"}, tensor<5xf64> {jax.result_info = "result[10]"}, tensor<5xf64> {jax.result_info = "result[11]"}, tensor<5xf64> {jax.result_info = "result[12]"}) {
    %cst = stablehlo.constant dense<[(0.000000e+00,1.000000e+00), (2.000000e+00,0.000000e+00), (3.000000e+00,1.000000e+00), (0.000000e+00,0.000000e+00), (-0.000000e+00,-1.000000e+00)]> : tensor<5xcomplex<f64>>
    %c = stablehlo.constant dense<[2, 0]> : tensor<2xi64>
    %c_0 = stablehlo.constant dense<false> : tensor<2xi1>
    %c_1 = stablehlo.constant dense<1> : tensor<2xi64>
    %c_2 = stablehlo.constant dense<false> : tensor<2xi1>
    %c_3 = stablehlo.constant dense<[0, 2, 2]> : tensor<3xi64>
    %0 = stablehlo.slice %arg0 [0:1, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %1 = stablehlo.reshape %0 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %2 = stablehlo.slice %arg0 [1:2, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %3 = stablehlo.reshape %2 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %4 = stablehlo.complex %1, %3 : tensor<3x4xcomplex<f64>>
    %5 = stablehlo.slice %arg1 [0:1, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %6 = stablehlo.reshape %5 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %7 = stablehlo.slice %arg1 [1:2, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %8 = stablehlo.reshape %7 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %9 = stablehlo.complex %6, %8 : tensor<3x4xcomplex<f64>>
    %10 = stablehlo.multiply %4, %9 : tensor<3x4xcomplex<f64>>
    %11 = stablehlo.slice %arg0 [0:1, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %12 = stablehlo.reshape %11 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %13 = stablehlo.slice %arg0 [1:2, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %14 = stablehlo.reshape %13 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %15 = stablehlo.complex %12, %14 : tensor<3x4xcomplex<f64>>
    %16 = stablehlo.slice %arg1 [0:1, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %17 = stablehlo.reshape %16 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %18 = stablehlo.slice %arg1 [1:2, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %19 = stablehlo.reshape %18 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %20 = stablehlo.complex %17, %19 : tensor<3x4xcomplex<f64>>
    %21 = stablehlo.subtract %15, %20 : tensor<3x4xcomplex<f64>>
    %22 = stablehlo.slice %arg0 [0:1, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %23 = stablehlo.reshape %22 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %24 = stablehlo.slice %arg0 [1:2, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %25 = stablehlo.reshape %24 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %26 = stablehlo.complex %23, %25 : tensor<3x4xcomplex<f64>>
    %27 = stablehlo.negate %26 : tensor<3x4xcomplex<f64>>
    %28 = stablehlo.real %10 : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
    %29 = stablehlo.imag %10 : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
    %30 = stablehlo.real %21 : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
    %31 = stablehlo.imag %21 : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
    %32 = stablehlo.real %27 : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
    %33 = stablehlo.imag %27 : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
    %34 = stablehlo.slice %arg2 [0:1, 0:5] : (tensor<2x5xf64>) -> tensor<1x5xf64>
    %35 = stablehlo.reshape %34 : (tensor<1x5xf64>) -> tensor<5xf64>
    %36 = stablehlo.slice %arg2 [1:2, 0:5] : (tensor<2x5xf64>) -> tensor<1x5xf64>
    %37 = stablehlo.reshape %36 : (tensor<1x5xf64>) -> tensor<5xf64>
    %38 = stablehlo.complex %35, %37 : tensor<5xcomplex<f64>>
    %39 = stablehlo.exponential %38 : tensor<5xcomplex<f64>>
    %40 = stablehlo.slice %arg2 [0:1, 0:5] : (tensor<2x5xf64>) -> tensor<1x5xf64>
    %41 = stablehlo.reshape %40 : (tensor<1x5xf64>) -> tensor<5xf64>
    %42 = stablehlo.slice %arg2 [1:2, 0:5] : (tensor<2x5xf64>) -> tensor<1x5xf64>
    %43 = stablehlo.reshape %42 : (tensor<1x5xf64>) -> tensor<5xf64>
    %44 = stablehlo.complex %41, %43 : tensor<5xcomplex<f64>>
    %45 = stablehlo.real %44 : (tensor<5xcomplex<f64>>) -> tensor<5xf64>
    %46 = stablehlo.imag %44 : (tensor<5xcomplex<f64>>) -> tensor<5xf64>
    %47 = stablehlo.negate %46 : tensor<5xf64>
    %48 = stablehlo.complex %45, %47 : tensor<5xcomplex<f64>>
    %49 = stablehlo.slice %arg2 [0:1, 0:5] : (tensor<2x5xf64>) -> tensor<1x5xf64>
    %50 = stablehlo.reshape %49 : (tensor<1x5xf64>) -> tensor<5xf64>
    %51 = stablehlo.slice %arg2 [1:2, 0:5] : (tensor<2x5xf64>) -> tensor<1x5xf64>
    %52 = stablehlo.reshape %51 : (tensor<1x5xf64>) -> tensor<5xf64>
    %53 = stablehlo.complex %50, %52 : tensor<5xcomplex<f64>>
    %54 = stablehlo.slice %arg2 [1:2, 0:5] : (tensor<2x5xf64>) -> tensor<1x5xf64>
    %55 = stablehlo.reshape %54 : (tensor<1x5xf64>) -> tensor<5xf64>
    %56 = stablehlo.convert %55 : (tensor<5xf64>) -> tensor<5xcomplex<f64>>
    %57 = stablehlo.multiply %53, %56 : tensor<5xcomplex<f64>>
    %58 = stablehlo.slice %arg2 [0:1, 0:5] : (tensor<2x5xf64>) -> tensor<1x5xf64>
    %59 = stablehlo.reshape %58 : (tensor<1x5xf64>) -> tensor<5xf64>
    %60 = stablehlo.slice %arg2 [1:2, 0:5] : (tensor<2x5xf64>) -> tensor<1x5xf64>
    %61 = stablehlo.reshape %60 : (tensor<1x5xf64>) -> tensor<5xf64>
    %62 = stablehlo.complex %59, %61 : tensor<5xcomplex<f64>>
    %cst_4 = stablehlo.constant dense<(2.000000e+00,-1.000000e+00)> : tensor<complex<f64>>
    %63 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<complex<f64>>) -> tensor<5xcomplex<f64>>
    %64 = stablehlo.multiply %62, %63 : tensor<5xcomplex<f64>>
    %65 = stablehlo.slice %arg2 [0:1, 0:5] : (tensor<2x5xf64>) -> tensor<1x5xf64>
    %66 = stablehlo.reshape %65 : (tensor<1x5xf64>) -> tensor<5xf64>
    %67 = stablehlo.convert %66 : (tensor<5xf64>) -> tensor<5xcomplex<f64>>
    %68 = stablehlo.multiply %67, %cst : tensor<5xcomplex<f64>>
    %69 = stablehlo.add %64, %68 : tensor<5xcomplex<f64>>
    %70 = stablehlo.real %39 : (tensor<5xcomplex<f64>>) -> tensor<5xf64>
    %71 = stablehlo.imag %39 : (tensor<5xcomplex<f64>>) -> tensor<5xf64>
    %72 = stablehlo.real %48 : (tensor<5xcomplex<f64>>) -> tensor<5xf64>
    %73 = stablehlo.imag %48 : (tensor<5xcomplex<f64>>) -> tensor<5xf64>
    %74 = stablehlo.real %57 : (tensor<5xcomplex<f64>>) -> tensor<5xf64>
    %75 = stablehlo.imag %57 : (tensor<5xcomplex<f64>>) -> tensor<5xf64>
    %76 = stablehlo.real %69 : (tensor<5xcomplex<f64>>) -> tensor<5xf64>
    %77 = stablehlo.imag %69 : (tensor<5xcomplex<f64>>) -> tensor<5xf64>
    %78 = stablehlo.slice %arg2 [0:1, 0:5] : (tensor<2x5xf64>) -> tensor<1x5xf64>
    %79 = stablehlo.reshape %78 : (tensor<1x5xf64>) -> tensor<5xf64>
    %80 = stablehlo.slice %arg2 [1:2, 0:5] : (tensor<2x5xf64>) -> tensor<1x5xf64>
    %81 = stablehlo.reshape %80 : (tensor<1x5xf64>) -> tensor<5xf64>
    %82 = stablehlo.complex %79, %81 : tensor<5xcomplex<f64>>
    %83 = stablehlo.abs %82 : (tensor<5xcomplex<f64>>) -> tensor<5xf64>
    %84 = stablehlo.slice %arg3 [0:1, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %85 = stablehlo.reshape %84 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %86 = stablehlo.slice %arg3 [1:2, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %87 = stablehlo.reshape %86 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %88 = stablehlo.complex %85, %87 : tensor<3x4xcomplex<f64>>
    %89 = stablehlo.transpose %88, dims = [1, 0] : (tensor<3x4xcomplex<f64>>) -> tensor<4x3xcomplex<f64>>
    %90 = stablehlo.slice %arg3 [0:1, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %91 = stablehlo.reshape %90 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %92 = stablehlo.slice %arg3 [1:2, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %93 = stablehlo.reshape %92 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %94 = stablehlo.complex %91, %93 : tensor<3x4xcomplex<f64>>
    %95 = stablehlo.slice %94 [1:3, 0:4] : (tensor<3x4xcomplex<f64>>) -> tensor<2x4xcomplex<f64>>
    %96 = stablehlo.reverse %95, dims = [1] : tensor<2x4xcomplex<f64>>
    %97 = stablehlo.slice %arg3 [0:1, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %98 = stablehlo.reshape %97 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %99 = stablehlo.slice %arg3 [1:2, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %100 = stablehlo.reshape %99 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %101 = stablehlo.complex %98, %100 : tensor<3x4xcomplex<f64>>
    %102 = stablehlo.slice %101 [0:3, 0:4:2] : (tensor<3x4xcomplex<f64>>) -> tensor<3x2xcomplex<f64>>
    %103 = stablehlo.reshape %102 : (tensor<3x2xcomplex<f64>>) -> tensor<6xcomplex<f64>>
    %104 = stablehlo.slice %arg3 [0:1, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %105 = stablehlo.reshape %104 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %106 = stablehlo.slice %arg3 [1:2, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %107 = stablehlo.reshape %106 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %108 = stablehlo.complex %105, %107 : tensor<3x4xcomplex<f64>>
    %109 = call @_roll_static(%108) : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xcomplex<f64>>
    %110 = stablehlo.slice %arg3 [0:1, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %111 = stablehlo.reshape %110 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %112 = stablehlo.slice %arg3 [1:2, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %113 = stablehlo.reshape %112 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %114 = stablehlo.complex %111, %113 : tensor<3x4xcomplex<f64>>
    %115 = stablehlo.slice %arg3 [0:1, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %116 = stablehlo.reshape %115 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %117 = stablehlo.slice %arg3 [1:2, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %118 = stablehlo.reshape %117 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %119 = stablehlo.complex %116, %118 : tensor<3x4xcomplex<f64>>
    %120 = stablehlo.slice %arg3 [0:1, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %121 = stablehlo.reshape %120 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %122 = stablehlo.slice %arg3 [1:2, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %123 = stablehlo.reshape %122 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %124 = stablehlo.complex %121, %123 : tensor<3x4xcomplex<f64>>
    %125 = stablehlo.multiply %119, %124 : tensor<3x4xcomplex<f64>>
    %126 = stablehlo.broadcast_in_dim %114, dims = [0, 2] : (tensor<3x4xcomplex<f64>>) -> tensor<3x1x4xcomplex<f64>>
    %127 = stablehlo.broadcast_in_dim %125, dims = [0, 2] : (tensor<3x4xcomplex<f64>>) -> tensor<3x1x4xcomplex<f64>>
    %128 = stablehlo.concatenate %126, %127, dim = 1 : (tensor<3x1x4xcomplex<f64>>, tensor<3x1x4xcomplex<f64>>) -> tensor<3x2x4xcomplex<f64>>
    %129 = stablehlo.slice %arg3 [0:1, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %130 = stablehlo.reshape %129 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %131 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f64>) -> tensor<3x4xf64>
    %132 = stablehlo.compare GT, %130, %131, FLOAT : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<3x4xi1>
    %133 = stablehlo.slice %arg3 [0:1, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %134 = stablehlo.reshape %133 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %135 = stablehlo.slice %arg3 [1:2, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %136 = stablehlo.reshape %135 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %137 = stablehlo.complex %134, %136 : tensor<3x4xcomplex<f64>>
    %138 = stablehlo.slice %arg3 [0:1, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %139 = stablehlo.reshape %138 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %140 = stablehlo.slice %arg3 [1:2, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %141 = stablehlo.reshape %140 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %142 = stablehlo.complex %139, %141 : tensor<3x4xcomplex<f64>>
    %143 = stablehlo.negate %142 : tensor<3x4xcomplex<f64>>
    %144 = call @_where(%132, %137, %143) : (tensor<3x4xi1>, tensor<3x4xcomplex<f64>>, tensor<3x4xcomplex<f64>>) -> tensor<3x4xcomplex<f64>>
    %145 = stablehlo.slice %arg3 [0:1, 0:1, 0:1] : (tensor<2x3x4xf64>) -> tensor<1x1x1xf64>
    %146 = stablehlo.reshape %145 : (tensor<1x1x1xf64>) -> tensor<f64>
    %cst_6 = stablehlo.constant dense<9.000000e+00> : tensor<f64>
    %147 = stablehlo.compare GT, %146, %cst_6, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %148 = stablehlo.slice %arg3 [0:1, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %149 = stablehlo.reshape %148 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %150 = stablehlo.slice %arg3 [1:2, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %151 = stablehlo.reshape %150 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %152 = stablehlo.complex %149, %151 : tensor<3x4xcomplex<f64>>
    %153 = stablehlo.slice %arg3 [0:1, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %154 = stablehlo.reshape %153 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %155 = stablehlo.slice %arg3 [1:2, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %156 = stablehlo.reshape %155 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %157 = stablehlo.complex %154, %156 : tensor<3x4xcomplex<f64>>
    %158 = stablehlo.negate %157 : tensor<3x4xcomplex<f64>>
    %159 = call @_where_0(%147, %152, %158) : (tensor<i1>, tensor<3x4xcomplex<f64>>, tensor<3x4xcomplex<f64>>) -> tensor<3x4xcomplex<f64>>
    %160 = stablehlo.real %89 : (tensor<4x3xcomplex<f64>>) -> tensor<4x3xf64>
    %161 = stablehlo.imag %89 : (tensor<4x3xcomplex<f64>>) -> tensor<4x3xf64>
    %162 = stablehlo.real %96 : (tensor<2x4xcomplex<f64>>) -> tensor<2x4xf64>
    %163 = stablehlo.imag %96 : (tensor<2x4xcomplex<f64>>) -> tensor<2x4xf64>
    %164 = stablehlo.real %103 : (tensor<6xcomplex<f64>>) -> tensor<6xf64>
    %165 = stablehlo.imag %103 : (tensor<6xcomplex<f64>>) -> tensor<6xf64>
    %166 = stablehlo.real %109 : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
    %167 = stablehlo.imag %109 : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
    %168 = stablehlo.real %128 : (tensor<3x2x4xcomplex<f64>>) -> tensor<3x2x4xf64>
    %169 = stablehlo.imag %128 : (tensor<3x2x4xcomplex<f64>>) -> tensor<3x2x4xf64>
    %170 = stablehlo.real %144 : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
    %171 = stablehlo.imag %144 : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
    %172 = stablehlo.real %159 : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
    %173 = stablehlo.imag %159 : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
    %174 = stablehlo.slice %arg4 [0:1, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %175 = stablehlo.reshape %174 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %176 = stablehlo.slice %arg4 [1:2, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %177 = stablehlo.reshape %176 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %178 = stablehlo.complex %175, %177 : tensor<3x4xcomplex<f64>>
    %179 = stablehlo.slice %arg5 [0:1] : (tensor<2xi64>) -> tensor<1xi64>
    %180 = stablehlo.reshape %179 : (tensor<1xi64>) -> tensor<i64>
    %181 = stablehlo.slice %arg5 [1:2] : (tensor<2xi64>) -> tensor<1xi64>
    %182 = stablehlo.reshape %181 : (tensor<1xi64>) -> tensor<i64>
    %c_7 = stablehlo.constant dense<0> : tensor<i64>
    %183 = stablehlo.compare LT, %180, %c_7, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %c_8 = stablehlo.constant dense<3> : tensor<i64>
    %184 = stablehlo.add %180, %c_8 : tensor<i64>
    %185 = stablehlo.select %183, %184, %180 : tensor<i1>, tensor<i64>
    %c_9 = stablehlo.constant dense<0> : tensor<i64>
    %186 = stablehlo.compare LT, %182, %c_9, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %c_10 = stablehlo.constant dense<4> : tensor<i64>
    %187 = stablehlo.add %182, %c_10 : tensor<i64>
    %188 = stablehlo.select %186, %187, %182 : tensor<i1>, tensor<i64>
    %189 = stablehlo.dynamic_slice %178, %185, %188, sizes = [2, 2] : (tensor<3x4xcomplex<f64>>, tensor<i64>, tensor<i64>) -> tensor<2x2xcomplex<f64>>
    %190 = stablehlo.slice %arg4 [0:1, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %191 = stablehlo.reshape %190 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %192 = stablehlo.slice %arg4 [1:2, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %193 = stablehlo.reshape %192 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %194 = stablehlo.complex %191, %193 : tensor<3x4xcomplex<f64>>
    %195 = stablehlo.slice %arg4 [0:1, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %196 = stablehlo.reshape %195 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %197 = stablehlo.slice %arg4 [1:2, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %198 = stablehlo.reshape %197 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %199 = stablehlo.complex %196, %198 : tensor<3x4xcomplex<f64>>
    %200 = stablehlo.slice %199 [0:1, 0:2] : (tensor<3x4xcomplex<f64>>) -> tensor<1x2xcomplex<f64>>
    %201 = stablehlo.slice %arg5 [0:1] : (tensor<2xi64>) -> tensor<1xi64>
    %202 = stablehlo.reshape %201 : (tensor<1xi64>) -> tensor<i64>
    %203 = stablehlo.slice %arg5 [1:2] : (tensor<2xi64>) -> tensor<1xi64>
    %204 = stablehlo.reshape %203 : (tensor<1xi64>) -> tensor<i64>
    %c_11 = stablehlo.constant dense<0> : tensor<i64>
    %205 = stablehlo.compare LT, %202, %c_11, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %c_12 = stablehlo.constant dense<3> : tensor<i64>
    %206 = stablehlo.add %202, %c_12 : tensor<i64>
    %207 = stablehlo.select %205, %206, %202 : tensor<i1>, tensor<i64>
    %c_13 = stablehlo.constant dense<0> : tensor<i64>
    %208 = stablehlo.compare LT, %204, %c_13, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %c_14 = stablehlo.constant dense<4> : tensor<i64>
    %209 = stablehlo.add %204, %c_14 : tensor<i64>
    %210 = stablehlo.select %208, %209, %204 : tensor<i1>, tensor<i64>
    %211 = stablehlo.dynamic_update_slice %194, %200, %207, %210 : (tensor<3x4xcomplex<f64>>, tensor<1x2xcomplex<f64>>, tensor<i64>, tensor<i64>) -> tensor<3x4xcomplex<f64>>
    %212 = stablehlo.real %189 : (tensor<2x2xcomplex<f64>>) -> tensor<2x2xf64>
    %213 = stablehlo.imag %189 : (tensor<2x2xcomplex<f64>>) -> tensor<2x2xf64>
    %214 = stablehlo.real %211 : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
    %215 = stablehlo.imag %211 : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
    %216 = stablehlo.slice %arg6 [0:1, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %217 = stablehlo.reshape %216 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %218 = stablehlo.slice %arg6 [1:2, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %219 = stablehlo.reshape %218 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %220 = stablehlo.complex %217, %219 : tensor<3x4xcomplex<f64>>
    %221 = stablehlo.slice %arg7 [0:1, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %222 = stablehlo.reshape %221 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %223 = stablehlo.slice %arg7 [1:2, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %224 = stablehlo.reshape %223 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %225 = stablehlo.complex %222, %224 : tensor<3x4xcomplex<f64>>
    %226 = stablehlo.divide %220, %225 : tensor<3x4xcomplex<f64>>
    %227 = stablehlo.slice %arg6 [0:1, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %228 = stablehlo.reshape %227 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %229 = stablehlo.slice %arg6 [1:2, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %230 = stablehlo.reshape %229 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %231 = stablehlo.complex %228, %230 : tensor<3x4xcomplex<f64>>
    %cst_15 = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f64>>
    %232 = stablehlo.reduce(%231 init: %cst_15) applies stablehlo.add across dimensions = [0] : (tensor<3x4xcomplex<f64>>, tensor<complex<f64>>) -> tensor<4xcomplex<f64>>
    %233 = stablehlo.slice %arg6 [0:1, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %234 = stablehlo.reshape %233 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %235 = stablehlo.slice %arg6 [1:2, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %236 = stablehlo.reshape %235 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %237 = stablehlo.complex %234, %236 : tensor<3x4xcomplex<f64>>
    %c_16 = stablehlo.constant dense<0> : tensor<i64>
    %238 = call @_pad(%237, %c_16) : (tensor<3x4xcomplex<f64>>, tensor<i64>) -> tensor<5x6xcomplex<f64>>
    %239 = stablehlo.slice %arg6 [0:1, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %240 = stablehlo.reshape %239 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %241 = stablehlo.slice %arg6 [1:2, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %242 = stablehlo.reshape %241 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %243 = stablehlo.complex %240, %242 : tensor<3x4xcomplex<f64>>
    %c_17 = stablehlo.constant dense<3> : tensor<i64>
    %244 = stablehlo.broadcast_in_dim %c_17, dims = [] : (tensor<i64>) -> tensor<2xi64>
    %245 = stablehlo.add %c, %244 : tensor<2xi64>
    %246 = stablehlo.select %c_0, %245, %c : tensor<2xi1>, tensor<2xi64>
    %247 = stablehlo.convert %246 : (tensor<2xi64>) -> tensor<2xi32>
    %248 = stablehlo.broadcast_in_dim %247, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %249 = "stablehlo.gather"(%243, %248) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xcomplex<f64>>, tensor<2x1xi32>) -> tensor<2x4xcomplex<f64>>
    %250 = stablehlo.slice %arg6 [0:1, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %251 = stablehlo.reshape %250 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %252 = stablehlo.slice %arg6 [1:2, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %253 = stablehlo.reshape %252 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %254 = stablehlo.complex %251, %253 : tensor<3x4xcomplex<f64>>
    %255 = stablehlo.slice %arg7 [0:1, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %256 = stablehlo.reshape %255 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %257 = stablehlo.slice %arg7 [1:2, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %258 = stablehlo.reshape %257 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %259 = stablehlo.complex %256, %258 : tensor<3x4xcomplex<f64>>
    %260 = stablehlo.transpose %259, dims = [1, 0] : (tensor<3x4xcomplex<f64>>) -> tensor<4x3xcomplex<f64>>
    %261 = stablehlo.dot_general %254, %260, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x4xcomplex<f64>>, tensor<4x3xcomplex<f64>>) -> tensor<3x3xcomplex<f64>>
    %262 = stablehlo.slice %arg6 [0:1, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %263 = stablehlo.reshape %262 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %264 = stablehlo.slice %arg6 [1:2, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %265 = stablehlo.reshape %264 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %266 = stablehlo.complex %263, %265 : tensor<3x4xcomplex<f64>>
    %267 = stablehlo.slice %arg7 [0:1, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %268 = stablehlo.reshape %267 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %269 = stablehlo.slice %arg7 [1:2, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %270 = stablehlo.reshape %269 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %271 = stablehlo.complex %268, %270 : tensor<3x4xcomplex<f64>>
    %272 = stablehlo.slice %271 [0:2, 0:4] : (tensor<3x4xcomplex<f64>>) -> tensor<2x4xcomplex<f64>>
    %c_18 = stablehlo.constant dense<3> : tensor<i64>
    %273 = stablehlo.broadcast_in_dim %c_18, dims = [] : (tensor<i64>) -> tensor<2xi64>
    %274 = stablehlo.add %c_1, %273 : tensor<2xi64>
    %275 = stablehlo.select %c_2, %274, %c_1 : tensor<2xi1>, tensor<2xi64>
    %276 = stablehlo.convert %275 : (tensor<2xi64>) -> tensor<2xi32>
    %277 = stablehlo.broadcast_in_dim %276, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %278 = "stablehlo.scatter"(%266, %277, %272) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg16: tensor<complex<f64>>, %arg17: tensor<complex<f64>>):
      %490 = stablehlo.add %arg16, %arg17 : tensor<complex<f64>>
      stablehlo.return %490 : tensor<complex<f64>>
    }) : (tensor<3x4xcomplex<f64>>, tensor<2x1xi32>, tensor<2x4xcomplex<f64>>) -> tensor<3x4xcomplex<f64>>
    %279 = stablehlo.real %226 : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
    %280 = stablehlo.imag %226 : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
    %281 = stablehlo.real %232 : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %282 = stablehlo.imag %232 : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %283 = stablehlo.real %238 : (tensor<5x6xcomplex<f64>>) -> tensor<5x6xf64>
    %284 = stablehlo.imag %238 : (tensor<5x6xcomplex<f64>>) -> tensor<5x6xf64>
    %285 = stablehlo.real %249 : (tensor<2x4xcomplex<f64>>) -> tensor<2x4xf64>
    %286 = stablehlo.imag %249 : (tensor<2x4xcomplex<f64>>) -> tensor<2x4xf64>
    %287 = stablehlo.real %261 : (tensor<3x3xcomplex<f64>>) -> tensor<3x3xf64>
    %288 = stablehlo.imag %261 : (tensor<3x3xcomplex<f64>>) -> tensor<3x3xf64>
    %289 = stablehlo.real %278 : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
    %290 = stablehlo.imag %278 : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
    %291 = stablehlo.slice %arg8 [0:1, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %292 = stablehlo.reshape %291 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %293 = stablehlo.slice %arg8 [1:2, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %294 = stablehlo.reshape %293 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %295 = stablehlo.complex %292, %294 : tensor<3x4xcomplex<f64>>
    %296 = call @fft(%295) : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xcomplex<f64>>
    %297 = stablehlo.slice %arg8 [0:1, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %298 = stablehlo.reshape %297 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %299 = stablehlo.slice %arg8 [1:2, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %300 = stablehlo.reshape %299 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %301 = stablehlo.complex %298, %300 : tensor<3x4xcomplex<f64>>
    %302 = stablehlo.transpose %301, dims = [1, 0] : (tensor<3x4xcomplex<f64>>) -> tensor<4x3xcomplex<f64>>
    %303 = call @fft_1(%302) : (tensor<4x3xcomplex<f64>>) -> tensor<4x3xcomplex<f64>>
    %304 = stablehlo.transpose %303, dims = [1, 0] : (tensor<4x3xcomplex<f64>>) -> tensor<3x4xcomplex<f64>>
    %305 = stablehlo.slice %arg8 [0:1, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %306 = stablehlo.reshape %305 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %307 = stablehlo.slice %arg8 [1:2, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %308 = stablehlo.reshape %307 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %309 = stablehlo.complex %306, %308 : tensor<3x4xcomplex<f64>>
    %310 = call @fft_2(%309) : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xcomplex<f64>>
    %311 = stablehlo.slice %arg8 [0:1, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %312 = stablehlo.reshape %311 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %313 = call @fft_3(%312) : (tensor<3x4xf64>) -> tensor<3x3xcomplex<f64>>
    %314 = stablehlo.slice %arg8 [0:1, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %315 = stablehlo.reshape %314 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %316 = stablehlo.transpose %315, dims = [1, 0] : (tensor<3x4xf64>) -> tensor<4x3xf64>
    %317 = call @fft_4(%316) : (tensor<4x3xf64>) -> tensor<4x2xcomplex<f64>>
    %318 = stablehlo.transpose %317, dims = [1, 0] : (tensor<4x2xcomplex<f64>>) -> tensor<2x4xcomplex<f64>>
    %319 = stablehlo.slice %arg8 [1:2, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %320 = stablehlo.reshape %319 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %321 = call @fft_5(%320) : (tensor<3x4xf64>) -> tensor<3x3xcomplex<f64>>
    %322 = stablehlo.real %296 : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
    %323 = stablehlo.imag %296 : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
    %324 = stablehlo.real %304 : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
    %325 = stablehlo.imag %304 : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
    %326 = stablehlo.real %310 : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
    %327 = stablehlo.imag %310 : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
    %328 = stablehlo.real %313 : (tensor<3x3xcomplex<f64>>) -> tensor<3x3xf64>
    %329 = stablehlo.imag %313 : (tensor<3x3xcomplex<f64>>) -> tensor<3x3xf64>
    %330 = stablehlo.real %318 : (tensor<2x4xcomplex<f64>>) -> tensor<2x4xf64>
    %331 = stablehlo.imag %318 : (tensor<2x4xcomplex<f64>>) -> tensor<2x4xf64>
    %332 = stablehlo.real %321 : (tensor<3x3xcomplex<f64>>) -> tensor<3x3xf64>
    %333 = stablehlo.imag %321 : (tensor<3x3xcomplex<f64>>) -> tensor<3x3xf64>
    %334 = stablehlo.slice %arg9 [0:1, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %335 = stablehlo.reshape %334 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %336 = stablehlo.slice %arg9 [1:2, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %337 = stablehlo.reshape %336 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %338 = stablehlo.complex %335, %337 : tensor<3x4xcomplex<f64>>
    %339 = call @fft_6(%338) : (tensor<3x4xcomplex<f64>>) -> tensor<3x6xf64>
    %340 = stablehlo.slice %arg9 [0:1, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %341 = stablehlo.reshape %340 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %342 = stablehlo.slice %arg9 [1:2, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %343 = stablehlo.reshape %342 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %344 = stablehlo.complex %341, %343 : tensor<3x4xcomplex<f64>>
    %c_19 = stablehlo.constant dense<0> : tensor<i64>
    %345 = call @_pad_7(%344, %c_19) : (tensor<3x4xcomplex<f64>>, tensor<i64>) -> tensor<3x4xcomplex<f64>>
    %346 = call @fft_8(%345) : (tensor<3x4xcomplex<f64>>) -> tensor<3x7xf64>
    %347 = stablehlo.slice %arg9 [0:1, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %348 = stablehlo.reshape %347 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %349 = stablehlo.slice %arg9 [1:2, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %350 = stablehlo.reshape %349 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %351 = stablehlo.complex %348, %350 : tensor<3x4xcomplex<f64>>
    %352 = stablehlo.transpose %351, dims = [1, 0] : (tensor<3x4xcomplex<f64>>) -> tensor<4x3xcomplex<f64>>
    %353 = call @fft_9(%352) : (tensor<4x3xcomplex<f64>>) -> tensor<4x4xf64>
    %354 = stablehlo.transpose %353, dims = [1, 0] : (tensor<4x4xf64>) -> tensor<4x4xf64>
    %355 = stablehlo.slice %arg9 [0:1, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %356 = stablehlo.reshape %355 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %357 = stablehlo.slice %arg9 [1:2, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %358 = stablehlo.reshape %357 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %359 = stablehlo.complex %356, %358 : tensor<3x4xcomplex<f64>>
    %360 = call @fft_10(%359) : (tensor<3x4xcomplex<f64>>) -> tensor<3x6xf64>
    %361 = stablehlo.slice %arg9 [0:1, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %362 = stablehlo.reshape %361 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %363 = stablehlo.slice %arg9 [1:2, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %364 = stablehlo.reshape %363 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %365 = stablehlo.complex %362, %364 : tensor<3x4xcomplex<f64>>
    %366 = stablehlo.slice %365 [0:3, 0:1] : (tensor<3x4xcomplex<f64>>) -> tensor<3x1xcomplex<f64>>
    %c_20 = stablehlo.constant dense<0> : tensor<i64>
    %367 = call @_pad_11(%366, %c_20) : (tensor<3x1xcomplex<f64>>, tensor<i64>) -> tensor<3x1xcomplex<f64>>
    %368 = call @fft_12(%367) : (tensor<3x1xcomplex<f64>>) -> tensor<3x1xf64>
    %369 = stablehlo.slice %arg10 [0:1, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %370 = stablehlo.reshape %369 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %371 = stablehlo.slice %arg10 [1:2, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %372 = stablehlo.reshape %371 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %373 = stablehlo.complex %370, %372 : tensor<3x4xcomplex<f64>>
    %374 = stablehlo.tanh %373 : tensor<3x4xcomplex<f64>>
    %375 = stablehlo.slice %arg10 [0:1, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %376 = stablehlo.reshape %375 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %377 = stablehlo.slice %arg10 [1:2, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %378 = stablehlo.reshape %377 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %379 = stablehlo.complex %376, %378 : tensor<3x4xcomplex<f64>>
    %cst_21 = stablehlo.constant dense<(3.000000e-01,0.000000e+00)> : tensor<complex<f64>>
    %380 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<complex<f64>>) -> tensor<3x4xcomplex<f64>>
    %381 = stablehlo.power %379, %380 : tensor<3x4xcomplex<f64>>
    %382 = stablehlo.slice %arg10 [0:1, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %383 = stablehlo.reshape %382 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %384 = stablehlo.slice %arg10 [1:2, 0:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<1x3x4xf64>
    %385 = stablehlo.reshape %384 : (tensor<1x3x4xf64>) -> tensor<3x4xf64>
    %386 = stablehlo.complex %383, %385 : tensor<3x4xcomplex<f64>>
    %cst_22 = stablehlo.constant dense<(1.000000e+00,0.000000e+00)> : tensor<complex<f64>>
    %387 = stablehlo.reduce(%386 init: %cst_22) applies stablehlo.multiply across dimensions = [0] : (tensor<3x4xcomplex<f64>>, tensor<complex<f64>>) -> tensor<4xcomplex<f64>>
    %388 = stablehlo.real %374 : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
    %389 = stablehlo.imag %374 : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
    %390 = stablehlo.real %381 : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
    %391 = stablehlo.imag %381 : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xf64>
    %392 = stablehlo.real %387 : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %393 = stablehlo.imag %387 : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %c_23 = stablehlo.constant dense<0> : tensor<i64>
    %394 = stablehlo.broadcast_in_dim %c_23, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %395 = stablehlo.compare LT, %c_3, %394, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
    %c_24 = stablehlo.constant dense<5> : tensor<i64>
    %396 = stablehlo.broadcast_in_dim %c_24, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %397 = stablehlo.add %c_3, %396 : tensor<3xi64>
    %398 = stablehlo.select %395, %397, %c_3 : tensor<3xi1>, tensor<3xi64>
    %399 = stablehlo.convert %398 : (tensor<3xi64>) -> tensor<3xi32>
    %400 = stablehlo.broadcast_in_dim %399, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %401 = "stablehlo.gather"(%arg11, %400) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<5xf64>, tensor<3x1xi32>) -> tensor<3xf64>
    %402 = stablehlo.multiply %401, %401 : tensor<3xf64>
    %cst_25 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %403 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %404 = stablehlo.multiply %403, %401 : tensor<3xf64>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %405 = stablehlo.reduce(%402 init: %cst_26) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
    %cst_27 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %406 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %407 = stablehlo.multiply %406, %404 : tensor<3xf64>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %408 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %409 = "stablehlo.scatter"(%408, %400, %407) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg16: tensor<f64>, %arg17: tensor<f64>):
      %490 = stablehlo.add %arg16, %arg17 : tensor<f64>
      stablehlo.return %490 : tensor<f64>
    }) : (tensor<5xf64>, tensor<3x1xi32>, tensor<3xf64>) -> tensor<5xf64>
    %cst_29 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %410 = stablehlo.reduce(%arg12 init: %cst_29) applies stablehlo.maximum across dimensions = [0] : (tensor<5xf64>, tensor<f64>) -> tensor<f64>
    %411 = stablehlo.reshape %410 : (tensor<f64>) -> tensor<1xf64>
    %412 = stablehlo.broadcast_in_dim %411, dims = [0] : (tensor<1xf64>) -> tensor<5xf64>
    %413 = stablehlo.compare EQ, %arg12, %412, FLOAT : (tensor<5xf64>, tensor<5xf64>) -> tensor<5xi1>
    %414 = stablehlo.convert %413 : (tensor<5xi1>) -> tensor<5xf64>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %415 = stablehlo.reduce(%414 init: %cst_30) applies stablehlo.add across dimensions = [0] : (tensor<5xf64>, tensor<f64>) -> tensor<f64>
    %cst_31 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %416 = stablehlo.divide %cst_31, %415 : tensor<f64>
    %417 = stablehlo.broadcast_in_dim %416, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %418 = stablehlo.multiply %417, %414 : tensor<5xf64>
    %419 = stablehlo.slice %arg13 [0:3] : (tensor<5xf64>) -> tensor<3xf64>
    %420 = stablehlo.slice %arg13 [3:5] : (tensor<5xf64>) -> tensor<2xf64>
    %cst_32 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %421 = stablehlo.pad %420, %cst_32, low = [0], high = [1], interior = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<3xf64>
    %422 = stablehlo.multiply %419, %421 : tensor<3xf64>
    %423 = stablehlo.slice %422 [0:2] : (tensor<3xf64>) -> tensor<2xf64>
    %424 = stablehlo.slice %422 [2:3] : (tensor<3xf64>) -> tensor<1xf64>
    %cst_33 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %425 = stablehlo.pad %424, %cst_33, low = [0], high = [1], interior = [0] : (tensor<1xf64>, tensor<f64>) -> tensor<2xf64>
    %426 = stablehlo.multiply %423, %425 : tensor<2xf64>
    %427 = stablehlo.slice %426 [0:1] : (tensor<2xf64>) -> tensor<1xf64>
    %428 = stablehlo.slice %426 [1:2] : (tensor<2xf64>) -> tensor<1xf64>
    %429 = stablehlo.multiply %427, %428 : tensor<1xf64>
    %430 = stablehlo.reshape %429 : (tensor<1xf64>) -> tensor<f64>
    %cst_34 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %431 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f64>) -> tensor<1xf64>
    %432 = stablehlo.multiply %427, %431 : tensor<1xf64>
    %433 = stablehlo.multiply %431, %428 : tensor<1xf64>
    %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %434 = stablehlo.pad %432, %cst_35, low = [1], high = [0], interior = [0] : (tensor<1xf64>, tensor<f64>) -> tensor<2xf64>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %435 = stablehlo.pad %433, %cst_36, low = [0], high = [1], interior = [0] : (tensor<1xf64>, tensor<f64>) -> tensor<2xf64>
    %436 = stablehlo.add %434, %435 : tensor<2xf64>
    %437 = stablehlo.multiply %423, %436 : tensor<2xf64>
    %438 = stablehlo.multiply %436, %425 : tensor<2xf64>
    %cst_37 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %439 = stablehlo.pad %437, %cst_37, low = [0], high = [-1], interior = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<1xf64>
    %440 = stablehlo.slice %439 [0:1] : (tensor<1xf64>) -> tensor<1xf64>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %441 = stablehlo.pad %440, %cst_38, low = [2], high = [0], interior = [0] : (tensor<1xf64>, tensor<f64>) -> tensor<3xf64>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %442 = stablehlo.pad %438, %cst_39, low = [0], high = [1], interior = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<3xf64>
    %443 = stablehlo.add %441, %442 : tensor<3xf64>
    %444 = stablehlo.multiply %419, %443 : tensor<3xf64>
    %445 = stablehlo.multiply %443, %421 : tensor<3xf64>
    %cst_40 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %446 = stablehlo.pad %444, %cst_40, low = [0], high = [-1], interior = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<2xf64>
    %447 = stablehlo.slice %446 [0:2] : (tensor<2xf64>) -> tensor<2xf64>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %448 = stablehlo.pad %447, %cst_41, low = [3], high = [0], interior = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<5xf64>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %449 = stablehlo.pad %445, %cst_42, low = [0], high = [2], interior = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<5xf64>
    %450 = stablehlo.add %448, %449 : tensor<5xf64>
    %451 = call @cumsum(%arg14) : (tensor<5xf64>) -> tensor<5xf64>
    %452 = stablehlo.multiply %451, %451 : tensor<5xf64>
    %cst_43 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %453 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %454 = stablehlo.multiply %453, %451 : tensor<5xf64>
    %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %455 = stablehlo.reduce(%452 init: %cst_44) applies stablehlo.add across dimensions = [0] : (tensor<5xf64>, tensor<f64>) -> tensor<f64>
    %cst_45 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %456 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %457 = stablehlo.multiply %456, %454 : tensor<5xf64>
    %458 = call @cumsum_14(%457) : (tensor<5xf64>) -> tensor<5xf64>
    %cst_46 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %459 = stablehlo.reduce(%arg15 init: %cst_46) applies stablehlo.maximum across dimensions = [0] : (tensor<5xf64>, tensor<f64>) -> tensor<f64>
    %460 = stablehlo.reshape %459 : (tensor<f64>) -> tensor<1xf64>
    %461 = stablehlo.broadcast_in_dim %460, dims = [0] : (tensor<1xf64>) -> tensor<5xf64>
    %462 = stablehlo.compare EQ, %arg15, %461, FLOAT : (tensor<5xf64>, tensor<5xf64>) -> tensor<5xi1>
    %463 = stablehlo.convert %462 : (tensor<5xi1>) -> tensor<5xf64>
    %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %464 = stablehlo.reduce(%463 init: %cst_47) applies stablehlo.add across dimensions = [0] : (tensor<5xf64>, tensor<f64>) -> tensor<f64>
    %cst_48 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %465 = stablehlo.maximum %cst_48, %459 : tensor<f64>
    %466 = stablehlo.compare EQ, %459, %465, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %cst_49 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %cst_50 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %467 = stablehlo.select %466, %cst_50, %cst_49 : tensor<i1>, tensor<f64>
    %cst_51 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %468 = stablehlo.compare EQ, %cst_51, %465, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %cst_52 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %cst_53 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %469 = stablehlo.select %468, %cst_53, %cst_52 : tensor<i1>, tensor<f64>
    %470 = stablehlo.divide %467, %469 : tensor<f64>
    %471 = stablehlo.is_finite %465 : (tensor<f64>) -> tensor<i1>
    %cst_54 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %472 = stablehlo.select %471, %465, %cst_54 : tensor<i1>, tensor<f64>
    %473 = stablehlo.broadcast_in_dim %472, dims = [] : (tensor<f64>) -> tensor<1xf64>
    %474 = stablehlo.broadcast_in_dim %473, dims = [0] : (tensor<1xf64>) -> tensor<5xf64>
    %475 = stablehlo.subtract %arg15, %474 : tensor<5xf64>
    %476 = stablehlo.exponential %475 : tensor<5xf64>
    %cst_55 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %477 = stablehlo.reduce(%476 init: %cst_55) applies stablehlo.add across dimensions = [0] : (tensor<5xf64>, tensor<f64>) -> tensor<f64>
    %478 = stablehlo.sign %477 : tensor<f64>
    %479 = stablehlo.abs %477 : tensor<f64>
    %cst_56 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %480 = stablehlo.compare GE, %477, %cst_56, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %481 = stablehlo.log %479 : tensor<f64>
    %482 = stablehlo.add %481, %472 : tensor<f64>
    %cst_57 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %483 = stablehlo.divide %cst_57, %479 : tensor<f64>
    %cst_58 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %484 = stablehlo.select %480, %cst_58, %483 : tensor<i1>, tensor<f64>
    %cst_59 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %485 = stablehlo.select %480, %483, %cst_59 : tensor<i1>, tensor<f64>
    %486 = stablehlo.negate %484 : tensor<f64>
    %487 = stablehlo.add %485, %486 : tensor<f64>
    %488 = stablehlo.broadcast_in_dim %487, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %489 = stablehlo.multiply %488, %476 : tensor<5xf64>
    return %28, %29, %30, %31, %32, %33, %70, %71, %72, %73, %74, %75, %76, %77, %83, %160, %161, %162, %163, %164, %165, %166, %167, %168, %169, %170, %171, %172, %173, %212, %213, %214, %215, %279, %280, %281, %282, %283, %284, %285, %286, %287, %288, %289, %290, %322, %323, %324, %325, %326, %327, %328, %329, %330, %331, %332, %333, %339, %346, %354, %360, %368, %388, %389, %390, %391, %392, %393, %409, %418, %450, %458, %489 : tensor<3x4xf64>, tensor<3x4xf64>, tensor<3x4xf64>, tensor<3x4xf64>, tensor<3x4xf64>, tensor<3x4xf64>, tensor<5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<4x3xf64>, tensor<4x3xf64>, tensor<2x4xf64>, tensor<2x4xf64>, tensor<6xf64>, tensor<6xf64>, tensor<3x4xf64>, tensor<3x4xf64>, tensor<3x2x4xf64>, tensor<3x2x4xf64>, tensor<3x4xf64>, tensor<3x4xf64>, tensor<3x4xf64>, tensor<3x4xf64>, tensor<2x2xf64>, tensor<2x2xf64>, tensor<3x4xf64>, tensor<3x4xf64>, tensor<3x4xf64>, tensor<3x4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<5x6xf64>, tensor<5x6xf64>, tensor<2x4xf64>, tensor<2x4xf64>, tensor<3x3xf64>, tensor<3x3xf64>, tensor<3x4xf64>, tensor<3x4xf64>, tensor<3x4xf64>, tensor<3x4xf64>, tensor<3x4xf64>, tensor<3x4xf64>, tensor<3x4xf64>, tensor<3x4xf64>, tensor<3x3xf64>, tensor<3x3xf64>, tensor<2x4xf64>, tensor<2x4xf64>, tensor<3x3xf64>, tensor<3x3xf64>, tensor<3x6xf64>, tensor<3x7xf64>, tensor<4x4xf64>, tensor<3x6xf64>, tensor<3x1xf64>, tensor<3x4xf64>, tensor<3x4xf64>, tensor<3x4xf64>, tensor<3x4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<5xf64>, tensor<5xf64>
  }
  func.func private @_roll_static(%arg0: tensor<3x4xcomplex<f64>>) -> tensor<3x4xcomplex<f64>> {
    %0 = stablehlo.slice %arg0 [0:3, 3:4] : (tensor<3x4xcomplex<f64>>) -> tensor<3x1xcomplex<f64>>
    %1 = stablehlo.slice %arg0 [0:3, 0:3] : (tensor<3x4xcomplex<f64>>) -> tensor<3x3xcomplex<f64>>
    %2 = stablehlo.concatenate %0, %1, dim = 1 : (tensor<3x1xcomplex<f64>>, tensor<3x3xcomplex<f64>>) -> tensor<3x4xcomplex<f64>>
    return %2 : tensor<3x4xcomplex<f64>>
  }
  func.func private @_where(%arg0: tensor<3x4xi1>, %arg1: tensor<3x4xcomplex<f64>>, %arg2: tensor<3x4xcomplex<f64>>) -> tensor<3x4xcomplex<f64>> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<3x4xi1>, tensor<3x4xcomplex<f64>>
    return %0 : tensor<3x4xcomplex<f64>>
  }
  func.func private @_where_0(%arg0: tensor<i1>, %arg1: tensor<3x4xcomplex<f64>>, %arg2: tensor<3x4xcomplex<f64>>) -> tensor<3x4xcomplex<f64>> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<3x4xcomplex<f64>>
    return %0 : tensor<3x4xcomplex<f64>>
  }
  func.func private @_pad(%arg0: tensor<3x4xcomplex<f64>>, %arg1: tensor<i64>) -> tensor<5x6xcomplex<f64>> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<complex<f64>>
    %1 = stablehlo.pad %arg0, %0, low = [1, 1], high = [1, 1], interior = [0, 0] : (tensor<3x4xcomplex<f64>>, tensor<complex<f64>>) -> tensor<5x6xcomplex<f64>>
    return %1 : tensor<5x6xcomplex<f64>>
  }
  func.func private @fft(%arg0: tensor<3x4xcomplex<f64>>) -> tensor<3x4xcomplex<f64>> {
    %0 = stablehlo.fft %arg0, type = FFT, length = [4] : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xcomplex<f64>>
    return %0 : tensor<3x4xcomplex<f64>>
  }
  func.func private @fft_1(%arg0: tensor<4x3xcomplex<f64>>) -> tensor<4x3xcomplex<f64>> {
    %0 = stablehlo.fft %arg0, type = IFFT, length = [3] : (tensor<4x3xcomplex<f64>>) -> tensor<4x3xcomplex<f64>>
    return %0 : tensor<4x3xcomplex<f64>>
  }
  func.func private @fft_2(%arg0: tensor<3x4xcomplex<f64>>) -> tensor<3x4xcomplex<f64>> {
    %0 = stablehlo.fft %arg0, type = FFT, length = [3, 4] : (tensor<3x4xcomplex<f64>>) -> tensor<3x4xcomplex<f64>>
    return %0 : tensor<3x4xcomplex<f64>>
  }
  func.func private @fft_3(%arg0: tensor<3x4xf64>) -> tensor<3x3xcomplex<f64>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [4] : (tensor<3x4xf64>) -> tensor<3x3xcomplex<f64>>
    return %0 : tensor<3x3xcomplex<f64>>
  }
  func.func private @fft_4(%arg0: tensor<4x3xf64>) -> tensor<4x2xcomplex<f64>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [3] : (tensor<4x3xf64>) -> tensor<4x2xcomplex<f64>>
    return %0 : tensor<4x2xcomplex<f64>>
  }
  func.func private @fft_5(%arg0: tensor<3x4xf64>) -> tensor<3x3xcomplex<f64>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [3, 4] : (tensor<3x4xf64>) -> tensor<3x3xcomplex<f64>>
    return %0 : tensor<3x3xcomplex<f64>>
  }
  func.func private @fft_6(%arg0: tensor<3x4xcomplex<f64>>) -> tensor<3x6xf64> {
    %0 = stablehlo.fft %arg0, type = IRFFT, length = [6] : (tensor<3x4xcomplex<f64>>) -> tensor<3x6xf64>
    return %0 : tensor<3x6xf64>
  }
  func.func private @_pad_7(%arg0: tensor<3x4xcomplex<f64>>, %arg1: tensor<i64>) -> tensor<3x4xcomplex<f64>> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<complex<f64>>
    %1 = stablehlo.pad %arg0, %0, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<3x4xcomplex<f64>>, tensor<complex<f64>>) -> tensor<3x4xcomplex<f64>>
    return %1 : tensor<3x4xcomplex<f64>>
  }
  func.func private @fft_8(%arg0: tensor<3x4xcomplex<f64>>) -> tensor<3x7xf64> {
    %0 = stablehlo.fft %arg0, type = IRFFT, length = [7] : (tensor<3x4xcomplex<f64>>) -> tensor<3x7xf64>
    return %0 : tensor<3x7xf64>
  }
  func.func private @fft_9(%arg0: tensor<4x3xcomplex<f64>>) -> tensor<4x4xf64> {
    %0 = stablehlo.fft %arg0, type = IRFFT, length = [4] : (tensor<4x3xcomplex<f64>>) -> tensor<4x4xf64>
    return %0 : tensor<4x4xf64>
  }
  func.func private @fft_10(%arg0: tensor<3x4xcomplex<f64>>) -> tensor<3x6xf64> {
    %0 = stablehlo.fft %arg0, type = IRFFT, length = [3, 6] : (tensor<3x4xcomplex<f64>>) -> tensor<3x6xf64>
    return %0 : tensor<3x6xf64>
  }
  func.func private @_pad_11(%arg0: tensor<3x1xcomplex<f64>>, %arg1: tensor<i64>) -> tensor<3x1xcomplex<f64>> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<complex<f64>>
    %1 = stablehlo.pad %arg0, %0, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<3x1xcomplex<f64>>, tensor<complex<f64>>) -> tensor<3x1xcomplex<f64>>
    return %1 : tensor<3x1xcomplex<f64>>
  }
  func.func private @fft_12(%arg0: tensor<3x1xcomplex<f64>>) -> tensor<3x1xf64> {
    %0 = stablehlo.fft %arg0, type = IRFFT, length = [1] : (tensor<3x1xcomplex<f64>>) -> tensor<3x1xf64>
    return %0 : tensor<3x1xf64>
  }
  func.func private @cumsum(%arg0: tensor<5xf64>) -> tensor<5xf64> {
    %0 = call @cumsum_13(%arg0) : (tensor<5xf64>) -> tensor<5xf64>
    return %0 : tensor<5xf64>
  }
  func.func private @cumsum_13(%arg0: tensor<5xf64>) -> tensor<5xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<f64>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1>, padding = dense<[[4, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 5>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<f64>, %arg2: tensor<f64>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f64>
      stablehlo.return %2 : tensor<f64>
    }) : (tensor<5xf64>, tensor<f64>) -> tensor<5xf64>
    return %1 : tensor<5xf64>
  }
  func.func private @cumsum_14(%arg0: tensor<5xf64>) -> tensor<5xf64> {
    %0 = call @cumsum_15(%arg0) : (tensor<5xf64>) -> tensor<5xf64>
    return %0 : tensor<5xf64>
  }
  func.func private @cumsum_15(%arg0: tensor<5xf64>) -> tensor<5xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<f64>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1>, padding = dense<[[0, 4]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 5>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<f64>, %arg2: tensor<f64>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f64>
      stablehlo.return %2 : tensor<f64>
    }) : (tensor<5xf64>, tensor<f64>) -> tensor<5xf64>
    return %1 : tensor<5xf64>
  }
}
