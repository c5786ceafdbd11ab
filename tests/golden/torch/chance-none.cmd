check chance-none-twice.json chance-none-once.json
