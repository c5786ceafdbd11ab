eval generic.mlir --inputs=generic.json --numbers=doubles
