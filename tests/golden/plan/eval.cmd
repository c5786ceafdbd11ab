eval ../../graphs/plans/mlp.json ../../graphs/plans/mlp-dp2-pp2-tp2.json seq.sum_1 dist.loss
