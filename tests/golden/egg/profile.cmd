egg --profile --json profile.egg 2>&1 >/dev/null | jq -c '.rules | sort_by(.rule)[] | [.rule, .matches, .rows, .unions]'
