show sizes.json
