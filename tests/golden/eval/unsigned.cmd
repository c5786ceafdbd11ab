eval unsigned.mlir --inputs=unsigned.json --numbers=exact
