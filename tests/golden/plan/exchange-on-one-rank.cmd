check ../../graphs/plans/one.json <(jq 'first(.nodes[].prims[]? | select(.op == "AllToAllAllToAll").kw.idim) = 1' ../../graphs/plans/one-tp2.json) 2>&1 | grep -o 'error.*'
