check ../../graphs/plans/mlp.json <(jq '.outputs[1].t = 33' ../../graphs/plans/mlp-dp2-pp2-tp2.json) 2>&1 | head -3
