reduce inferred.tvr --json
