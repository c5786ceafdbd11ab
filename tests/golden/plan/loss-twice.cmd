check ../../graphs/plans/mlp.json <(jq '.outputs[1] = .outputs[0]' ../../graphs/plans/mlp-dp2-pp2-tp2.json) 2>&1 | head -2
