eval weight-norm.json --inputs=weight-norm-inputs.json
