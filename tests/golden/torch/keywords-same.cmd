check keywords-weight.json keywords-weight.json
