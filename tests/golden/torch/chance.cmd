check chance-twice.json chance-once.json
