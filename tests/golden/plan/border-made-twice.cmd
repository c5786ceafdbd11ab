check ../../graphs/plans/mlp.json <(jq '.seq["0"][3].out[0].t = 8' ../../graphs/plans/mlp-dp2-pp2-tp2.json) 2>&1 | head -2
