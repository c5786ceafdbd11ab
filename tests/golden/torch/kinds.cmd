show kinds.json
