check ../../../examples/torch-tour/seq.json
