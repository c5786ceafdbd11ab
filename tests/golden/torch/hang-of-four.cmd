show hang-of-four.json
