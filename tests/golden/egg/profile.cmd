egg --profile --json profile.egg 2>&1 | jq -c '.rules | sort_by(.rule)[] | [.rule, .matches, .rows, .unions]'
