module @unsigned {
  func.func public @main(%x: tensor<3xui8>, %i: tensor<2x1xi32>, %u: tensor<2xui8>, %n: tensor<3xui64>, %m: tensor<2xui32>) -> (tensor<3xui8>, tensor<3xui8>, tensor<3xui64>, tensor<2xui32>, tensor<2xui32>) {
    %zero = stablehlo.constant dense<0> : tensor<ui8>
    %one = stablehlo.constant dense<1> : tensor<2xui32>
    %added = "stablehlo.scatter"(%x, %i, %u) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%a: tensor<ui8>, %b: tensor<ui8>):
      %c = stablehlo.add %a, %b : tensor<ui8>
      stablehlo.return %c : tensor<ui8>
    }) : (tensor<3xui8>, tensor<2x1xi32>, tensor<2xui8>) -> tensor<3xui8>
    %running = "stablehlo.reduce_window"(%x, %zero) <{padding = dense<[[2, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 3>}> ({
    ^bb0(%a: tensor<ui8>, %b: tensor<ui8>):
      %c = stablehlo.add %a, %b : tensor<ui8>
      stablehlo.return %c : tensor<ui8>
    }) : (tensor<3xui8>, tensor<ui8>) -> tensor<3xui8>
    %double = stablehlo.multiply %n, %n : tensor<3xui64>
    %square = stablehlo.multiply %m, %m : tensor<2xui32>
    %sign = stablehlo.shift_right_arithmetic %m, %one : tensor<2xui32>
    return %added, %running, %double, %square, %sign : tensor<3xui8>, tensor<3xui8>, tensor<3xui64>, tensor<2xui32>, tensor<2xui32>
  }
}
