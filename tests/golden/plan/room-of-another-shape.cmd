check ../../graphs/plans/mlp.json <(jq '(.nodes[] | select(.n == 26) | .prims[0].kw.shape[0]) *= 2' ../../graphs/plans/mlp-dp2-pp2-tp2.json) 2>&1 | head -2
