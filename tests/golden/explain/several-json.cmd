explain ../reduce/inferred.tvr dist.y --json
