check ../../graphs/plans/mlp.json ../../graphs/plans/mlp-swapped.pkl
