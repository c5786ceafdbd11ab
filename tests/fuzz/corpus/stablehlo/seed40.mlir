module {
func.func @main(%a: tensor<?xf32>) -> tensor<f32> {
return %a : tensor<f32>
}
}
