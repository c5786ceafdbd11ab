check ../../graphs/plans/mlp.json ../../graphs/plans/mlp-unmade.json
