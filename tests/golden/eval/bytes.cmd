eval bytes.mlir --inputs=bytes.json --numbers=doubles
