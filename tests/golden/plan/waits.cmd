check ../../graphs/plans/mlp.json ../../graphs/plans/mlp-waits.json
