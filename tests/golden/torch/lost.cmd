show lost.json
