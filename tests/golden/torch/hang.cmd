show hang.json
