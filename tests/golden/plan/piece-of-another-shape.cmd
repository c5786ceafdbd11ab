check ../../graphs/plans/one.json <(jq '(.nodes[] | select(.dev == [1]).prims[]? | select(.op == "SplitAllGather").kw.dim) = 1' ../../graphs/plans/one-tp2.json) 2>&1 | head -2
