eval ../reduce/inferred.tvr --json
