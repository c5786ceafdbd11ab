// Constants as bytes of every type; the values in bytes.out are those of XLA.
module @bytes {
  func.func public @main(%x: tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>, tensor<5xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<2xf64>, tensor<2xf64>, tensor<3xf64>, tensor<4xf64>, tensor<2xf64>) {
    %f64 = stablehlo.constant dense<"0x000000000000F83F00000000000004C0"> : tensor<2xf64>
    %f32 = stablehlo.constant dense<"0x0000C03F000020C0"> : tensor<2xf32>
    %0 = stablehlo.convert %f32 : (tensor<2xf32>) -> tensor<2xf64>
    %f16 = stablehlo.constant dense<"0x003E00C1010001840000"> : tensor<5xf16>
    %1 = stablehlo.convert %f16 : (tensor<5xf16>) -> tensor<5xf64>
    %bf16 = stablehlo.constant dense<"0xC03F20C00000"> : tensor<3xbf16>
    %2 = stablehlo.convert %bf16 : (tensor<3xbf16>) -> tensor<3xf64>
    %i8 = stablehlo.constant dense<"0x017FFE"> : tensor<3xi8>
    %3 = stablehlo.convert %i8 : (tensor<3xi8>) -> tensor<3xf64>
    %u8 = stablehlo.constant dense<"0x017FFE"> : tensor<3xui8>
    %4 = stablehlo.convert %u8 : (tensor<3xui8>) -> tensor<3xf64>
    %i32 = stablehlo.constant dense<"0x05000000FEFFFFFF"> : tensor<2xi32>
    %5 = stablehlo.convert %i32 : (tensor<2xi32>) -> tensor<2xf64>
    %u64 = stablehlo.constant dense<"0x00000000000000800300000000000000"> : tensor<2xui64>
    %6 = stablehlo.convert %u64 : (tensor<2xui64>) -> tensor<2xf64>
    %all = stablehlo.constant dense<"0x0000C03F"> : tensor<3xf32>
    %7 = stablehlo.convert %all : (tensor<3xf32>) -> tensor<3xf64>
    %i1 = stablehlo.constant dense<"0x01000001"> : tensor<4xi1>
    %8 = stablehlo.convert %i1 : (tensor<4xi1>) -> tensor<4xf64>
    %9 = stablehlo.custom_call @mhlo.erf(%x) : (tensor<2xf64>) -> tensor<2xf64>
    return %f64, %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<2xf64>, tensor<2xf64>, tensor<5xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<2xf64>, tensor<2xf64>, tensor<3xf64>, tensor<4xf64>, tensor<2xf64>
  }
}
