eval functions.json --inputs=functions-inputs.json
