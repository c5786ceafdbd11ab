show unknown.json
