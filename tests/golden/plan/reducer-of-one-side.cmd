check ../../graphs/plans/tied.json <(jq '(.nodes[] | select(.kind == "reducer")) |= (.dev = [0, 2] | .in = .in)  | .seq["2"] |= .[:-1]' ../../graphs/plans/tied-pp3.json) 2>&1 | head -2
