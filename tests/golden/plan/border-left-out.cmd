check ../../graphs/plans/mlp.json <(jq '.nodes[1].in = [] | (.seq["0"][1], .seq["0"][4]).in = []' ../../graphs/plans/mlp-dp2-pp2-tp2.json) 2>&1 | head -2
