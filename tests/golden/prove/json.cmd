prove --json missing.tvr | jq -c ".[] | [.lemma, .status, .missing]"
