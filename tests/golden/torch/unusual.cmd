eval unusual.json --inputs=unusual-inputs.json
