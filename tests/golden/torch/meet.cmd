show meet.json
