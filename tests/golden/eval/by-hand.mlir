// What JAX does not write; the values in by-hand.out are those of XLA.
module @by_hand {
  func.func public @main(%x: tensor<2x3xf64>, %w: tensor<3x2xf64>, %v: tensor<3xf64>, %b: tensor<2x2x3xf64>, %d: tensor<2x2x3xf64>, %k: tensor<i32>, %p: tensor<i1>) -> (tensor<2x2xf64>, tensor<2xf64>, tensor<f64>, tensor<2x2x3xf64>, tensor<2x2x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<2x2x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<i32>, tensor<3xf64>) {
    %mm = stablehlo.dot %x, %w : (tensor<2x3xf64>, tensor<3x2xf64>) -> tensor<2x2xf64>
    %mv = stablehlo.dot %x, %v : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2xf64>
    %vv = stablehlo.dot %v, %v : (tensor<3xf64>, tensor<3xf64>) -> tensor<f64>
    %var = stablehlo.multiply %v, %v : tensor<3xf64>
    %inference = "stablehlo.batch_norm_inference"(%b, %v, %v, %v, %var) <{epsilon = 1.250000e-01 : f32, feature_index = 2 : i64}> : (tensor<2x2x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<2x2x3xf64>
    %training:3 = "stablehlo.batch_norm_training"(%b, %v, %var) <{epsilon = 5.000000e-01 : f32, feature_index = 2 : i64}> : (tensor<2x2x3xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<2x2x3xf64>, tensor<3xf64>, tensor<3xf64>)
    %grad:3 = "stablehlo.batch_norm_grad"(%b, %v, %v, %var, %d) <{epsilon = 5.000000e-01 : f32, feature_index = 2 : i64}> : (tensor<2x2x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<2x2x3xf64>) -> (tensor<2x2x3xf64>, tensor<3xf64>, tensor<3xf64>)
    %if = "stablehlo.if"(%p) ({
      stablehlo.return %v : tensor<3xf64>
    }, {
      stablehlo.return %var : tensor<3xf64>
    }) : (tensor<i1>) -> tensor<3xf64>
    %q = stablehlo.not %p : tensor<i1>
    %else = "stablehlo.if"(%q) ({
      stablehlo.return %v : tensor<3xf64>
    }, {
      stablehlo.return %var : tensor<3xf64>
    }) : (tensor<i1>) -> tensor<3xf64>
    %case = "stablehlo.case"(%k) ({
      stablehlo.return %v : tensor<3xf64>
    }, {
      stablehlo.return %var : tensor<3xf64>
    }, {
      %twice = stablehlo.add %v, %v : tensor<3xf64>
      stablehlo.return %twice : tensor<3xf64>
    }) : (tensor<i32>) -> tensor<3xf64>
    %t = stablehlo.create_token : !stablehlo.token
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %k, %one : tensor<i32>
    %last = "stablehlo.case"(%next) ({
      stablehlo.return %v : tensor<3xf64>
    }, {
      stablehlo.return %var : tensor<3xf64>
    }) : (tensor<i32>) -> tensor<3xf64>
    return %mm, %mv, %vv, %inference, %training#0, %training#1, %training#2, %grad#0, %grad#1, %grad#2, %if, %else, %case, %next, %last : tensor<2x2xf64>, tensor<2xf64>, tensor<f64>, tensor<2x2x3xf64>, tensor<2x2x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<2x2x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<i32>, tensor<3xf64>
  }
}
