"builtin.module"() <{sym_name = "jit_f"}> ({
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<2x3xf64>, tensor<3x2xf64>, tensor<2x2x3xf64>) -> (tensor<2x2xf64>, tensor<2x2x2xf64>, tensor<2x2xf64>, tensor<2x2x3xf64>, tensor<2x2xf64>, tensor<2x3xf64>, tensor<2x2x3xf64>, tensor<2x3xf64>, tensor<2x3xf64>, tensor<2xi64>, tensor<2x3xf64>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}, {jax.result_info = "result[5]"}, {jax.result_info = "result[6]"}, {jax.result_info = "result[7]"}, {jax.result_info = "result[8]"}, {jax.result_info = "result[9]"}, {jax.result_info = "result[10]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%x: tensor<2x3xf64>, %w: tensor<3x2xf64>, %b: tensor<2x2x3xf64>):
    %42 = "stablehlo.dot_general"(%x, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x3xf64>, tensor<3x2xf64>) -> tensor<2x2xf64>
    %43 = "stablehlo.dot_general"(%b, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x2x3xf64>, tensor<2x2x3xf64>) -> tensor<2x2x2xf64>
    %44 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %45 = "stablehlo.broadcast_in_dim"(%44) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2x2xf64>
    %46 = "stablehlo.compare"(%42, %45) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xi1>
    %47 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %48 = "stablehlo.broadcast_in_dim"(%47) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2x2xf64>
    %49 = "stablehlo.multiply"(%48, %42) : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
    %50 = "func.call"(%46, %42, %49) <{callee = @_where}> : (tensor<2x2xi1>, tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
    %51 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %52 = "stablehlo.broadcast_in_dim"(%51) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2x2x2xf64>
    %53 = "stablehlo.constant"() <{value = dense<3.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %54 = "stablehlo.broadcast_in_dim"(%53) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2x2x2xf64>
    %55 = "stablehlo.divide"(%52, %54) : (tensor<2x2x2xf64>, tensor<2x2x2xf64>) -> tensor<2x2x2xf64>
    %56 = "stablehlo.convolution"(%b, %55) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1>, padding = dense<[[1, 0]]> : tensor<1x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1>, window_reversal = array<i1: false>, window_strides = array<i64: 1>}> : (tensor<2x2x3xf64>, tensor<2x2x2xf64>) -> tensor<2x2x3xf64>
    %57 = "stablehlo.slice"(%x) <{limit_indices = array<i64: 2, 3>, start_indices = array<i64: 0, 1>, strides = array<i64: 1, 1>}> : (tensor<2x3xf64>) -> tensor<2x2xf64>
    %58 = "stablehlo.slice"(%b) <{limit_indices = array<i64: 1, 2, 3>, start_indices = array<i64: 0, 0, 0>, strides = array<i64: 1, 1, 1>}> : (tensor<2x2x3xf64>) -> tensor<1x2x3xf64>
    %59 = "stablehlo.reshape"(%58) : (tensor<1x2x3xf64>) -> tensor<2x3xf64>
    %60 = "stablehlo.slice"(%59) <{limit_indices = array<i64: 2, 3>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 2>}> : (tensor<2x3xf64>) -> tensor<2x2xf64>
    %61 = "stablehlo.add"(%57, %60) : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
    %62 = "stablehlo.constant"() <{value = dense<0xFFF0000000000000> : tensor<f64>}> : () -> tensor<f64>
    %63 = "stablehlo.reduce"(%b, %62) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg25: tensor<f64>, %arg26: tensor<f64>):
      %76 = "stablehlo.maximum"(%arg25, %arg26) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%76) : (tensor<f64>) -> ()
    }) : (tensor<2x2x3xf64>, tensor<f64>) -> tensor<2x3xf64>
    %64 = "stablehlo.reverse"(%b) <{dimensions = array<i64: 0>}> : (tensor<2x2x3xf64>) -> tensor<2x2x3xf64>
    %65 = "func.call"(%x) <{callee = @cumsum}> : (tensor<2x3xf64>) -> tensor<2x3xf64>
    %66 = "func.call"(%x) <{callee = @sort}> : (tensor<2x3xf64>) -> tensor<2x3xf64>
    %67 = "func.call"(%x) <{callee = @argmax}> : (tensor<2x3xf64>) -> tensor<2xi64>
    %68 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %69 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %70:3 = "stablehlo.while"(%69, %68, %x) ({
    ^bb0(%arg22: tensor<i64>, %arg23: tensor<i64>, %arg24: tensor<2x3xf64>):
      %74 = "stablehlo.constant"() <{value = dense<3> : tensor<i64>}> : () -> tensor<i64>
      %75 = "stablehlo.compare"(%arg22, %74) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
      "stablehlo.return"(%75) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg19: tensor<i64>, %arg20: tensor<i64>, %arg21: tensor<2x3xf64>):
      %71:2 = "func.call"(%arg20, %arg21) <{callee = @closed_call}> : (tensor<i64>, tensor<2x3xf64>) -> (tensor<i64>, tensor<2x3xf64>)
      %72 = "stablehlo.constant"() <{value = dense<1> : tensor<i64>}> : () -> tensor<i64>
      %73 = "stablehlo.add"(%arg19, %72) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%73, %71#0, %71#1) : (tensor<i64>, tensor<i64>, tensor<2x3xf64>) -> ()
    }) : (tensor<i64>, tensor<i64>, tensor<2x3xf64>) -> (tensor<i64>, tensor<i64>, tensor<2x3xf64>)
    "func.return"(%42, %43, %50, %56, %61, %63, %64, %65, %66, %67, %70#2) : (tensor<2x2xf64>, tensor<2x2x2xf64>, tensor<2x2xf64>, tensor<2x2x3xf64>, tensor<2x2xf64>, tensor<2x3xf64>, tensor<2x2x3xf64>, tensor<2x3xf64>, tensor<2x3xf64>, tensor<2xi64>, tensor<2x3xf64>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<2x2xi1>, tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>, res_attrs = [{}], sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg13: tensor<2x2xi1>, %arg14: tensor<2x2xf64>, %arg15: tensor<2x2xf64>):
    %41 = "stablehlo.select"(%arg13, %arg14, %arg15) : (tensor<2x2xi1>, tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
    "func.return"(%41) : (tensor<2x2xf64>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf64>) -> tensor<2x3xf64>, sym_name = "cumsum", sym_visibility = "private"}> ({
  ^bb0(%arg10: tensor<2x3xf64>):
    %37 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %38 = "stablehlo.broadcast_in_dim"(%37) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<f64>
    %39 = "stablehlo.reduce_window"(%arg10, %38) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [2, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg11: tensor<f64>, %arg12: tensor<f64>):
      %40 = "stablehlo.add"(%arg11, %arg12) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%40) : (tensor<f64>) -> ()
    }) : (tensor<2x3xf64>, tensor<f64>) -> tensor<2x3xf64>
    "func.return"(%39) : (tensor<2x3xf64>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<2x3xf64>) -> tensor<2x3xf64>, res_attrs = [{}], sym_name = "sort", sym_visibility = "private"}> ({
  ^bb0(%arg7: tensor<2x3xf64>):
    %21 = "stablehlo.sort"(%arg7) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg8: tensor<f64>, %arg9: tensor<f64>):
      %22 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
      %23 = "stablehlo.compare"(%arg8, %22) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %24 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
      %25 = "stablehlo.select"(%23, %24, %arg8) : (tensor<i1>, tensor<f64>, tensor<f64>) -> tensor<f64>
      %26 = "stablehlo.compare"(%arg8, %arg8) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %27 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
      %28 = "stablehlo.select"(%26, %27, %25) : (tensor<i1>, tensor<f64>, tensor<f64>) -> tensor<f64>
      %29 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
      %30 = "stablehlo.compare"(%arg9, %29) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %31 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f64>}> : () -> tensor<f64>
      %32 = "stablehlo.select"(%30, %31, %arg9) : (tensor<i1>, tensor<f64>, tensor<f64>) -> tensor<f64>
      %33 = "stablehlo.compare"(%arg9, %arg9) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %34 = "stablehlo.constant"() <{value = dense<0x7FF8000000000000> : tensor<f64>}> : () -> tensor<f64>
      %35 = "stablehlo.select"(%33, %34, %32) : (tensor<i1>, tensor<f64>, tensor<f64>) -> tensor<f64>
      %36 = "stablehlo.compare"(%28, %35) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f64>, tensor<f64>) -> tensor<i1>
      "stablehlo.return"(%36) : (tensor<i1>) -> ()
    }) : (tensor<2x3xf64>) -> tensor<2x3xf64>
    "func.return"(%21) : (tensor<2x3xf64>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf64>) -> tensor<2xi64>, sym_name = "argmax", sym_visibility = "private"}> ({
  ^bb0(%arg2: tensor<2x3xf64>):
    %8 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<2x3xi64>
    %9 = "stablehlo.constant"() <{value = dense<0xFFF0000000000000> : tensor<f64>}> : () -> tensor<f64>
    %10 = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %11:2 = "stablehlo.reduce"(%arg2, %8, %9, %10) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg3: tensor<f64>, %arg4: tensor<i64>, %arg5: tensor<f64>, %arg6: tensor<i64>):
      %12 = "stablehlo.compare"(%arg3, %arg5) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %13 = "stablehlo.compare"(%arg3, %arg3) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %14 = "stablehlo.or"(%12, %13) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %15 = "stablehlo.compare"(%arg3, %arg5) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %16 = "stablehlo.compare"(%arg4, %arg6) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %17 = "stablehlo.and"(%15, %16) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %18 = "stablehlo.or"(%14, %17) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %19 = "stablehlo.select"(%14, %arg3, %arg5) : (tensor<i1>, tensor<f64>, tensor<f64>) -> tensor<f64>
      %20 = "stablehlo.select"(%18, %arg4, %arg6) : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%19, %20) : (tensor<f64>, tensor<i64>) -> ()
    }) : (tensor<2x3xf64>, tensor<2x3xi64>, tensor<f64>, tensor<i64>) -> (tensor<2xf64>, tensor<2xi64>)
    "func.return"(%11#1) : (tensor<2xi64>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<i64>, tensor<2x3xf64>) -> (tensor<i64>, tensor<2x3xf64>), res_attrs = [{}, {}], sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<i64>, %arg1: tensor<2x3xf64>):
    %0 = "stablehlo.constant"() <{value = dense<1> : tensor<i64>}> : () -> tensor<i64>
    %1 = "stablehlo.add"(%arg0, %0) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %2 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f64>}> : () -> tensor<f64>
    %3 = "stablehlo.broadcast_in_dim"(%2) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2x3xf64>
    %4 = "stablehlo.multiply"(%arg1, %3) : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    %5 = "stablehlo.convert"(%arg0) : (tensor<i64>) -> tensor<f64>
    %6 = "stablehlo.broadcast_in_dim"(%5) <{broadcast_dimensions = array<i64>}> : (tensor<f64>) -> tensor<2x3xf64>
    %7 = "stablehlo.add"(%4, %6) : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    "func.return"(%1, %7) : (tensor<i64>, tensor<2x3xf64>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
