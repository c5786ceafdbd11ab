eval bytes.json --inputs=bytes-inputs.json
