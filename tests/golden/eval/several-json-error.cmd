eval ../reduce/inferred.tvr dist.z --json
