check ../../graphs/plans/mlp.json ../../graphs/plans/mlp-shape.json
