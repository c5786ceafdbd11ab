eval by-hand.mlir --inputs=by-hand.json --numbers=doubles; $TVR eval by-hand.hlo --inputs=by-hand.json --numbers=doubles
