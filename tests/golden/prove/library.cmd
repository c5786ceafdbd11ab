prove --json | jq -c "[.[] | select(.status | IN(\"normal\", \"derived\", \"proved\") | not) | [.lemma, .status]], length > 400"
