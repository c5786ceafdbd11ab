check ../../graphs/plans/mlp.pkl ../../graphs/plans/mlp-dp2-pp2-tp2.pkl
