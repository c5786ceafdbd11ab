prove --cache=cache.tmp true.tvr > /dev/null; "$TVR" prove --cache=cache.tmp --json true.tvr | jq -c "map([.lemma, .status, .cached])[]"; rm -r cache.tmp
