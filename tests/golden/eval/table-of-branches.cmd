eval table-of-branches.mlir --inputs=table-of-branches.json --numbers=doubles; $TVR eval table-of-branches.hlo --inputs=table-of-branches.json --numbers=doubles; $TVR show table-of-branches.hlo
