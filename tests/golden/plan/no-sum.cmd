check ../../graphs/plans/mlp.json ../../graphs/plans/mlp-no-sum.json
