check ../../graphs/plans/mlp.json <(jq '(.nodes[] | select(.op == "linear") | .kw.bias) = {"t": 14}' ../../graphs/plans/mlp-dp2-pp2-tp2.json) 2>&1 | grep -o 'error.*'
