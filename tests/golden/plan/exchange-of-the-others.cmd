check ../../graphs/plans/one.json <(jq '(.nodes[].prims[]? | select(.op == "AllToAllAllToAll").kw) |= (.idim = 1 | .odim = 0)' ../../graphs/plans/one-tp2.json) 2>&1 | head -2
