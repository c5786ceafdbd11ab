check statistics.json statistics.json
