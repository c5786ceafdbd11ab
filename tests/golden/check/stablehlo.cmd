check stablehlo.tvr
