eval convolution.json --inputs=convolution-inputs.json
