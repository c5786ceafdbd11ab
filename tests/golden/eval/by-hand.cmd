eval by-hand.mlir --inputs=by-hand.json --numbers=doubles
