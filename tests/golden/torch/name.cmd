show name.json
