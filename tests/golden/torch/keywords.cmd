check keywords-weight.json keywords-bias.json
