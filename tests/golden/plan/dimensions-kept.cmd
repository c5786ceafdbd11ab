check ../../graphs/plans/one.json <(jq '(.nodes[] | select(.op == "sum").kw.keepdim) = true' ../../graphs/plans/one-tp2.json) 2>&1 | head -2
