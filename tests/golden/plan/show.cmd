show ../../graphs/plans/mlp.json
