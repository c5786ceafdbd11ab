eval chosen.tvr --inputs=chosen.json
