eval unsigned.mlir --inputs=unsigned.json # what doubles do not hold on the way to a value is evaluated exactly
