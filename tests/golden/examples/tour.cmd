check ../../../examples/torch-tour/seq.json ../../../examples/torch-tour/dist.json --relation ../../../examples/torch-tour/relation.json
