eval unsigned.mlir --inputs=unsigned.json # what doubles do not hold is unknown
