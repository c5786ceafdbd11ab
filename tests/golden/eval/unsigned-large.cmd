eval unsigned.mlir --inputs=unsigned-large.json
