show name-twice.json
