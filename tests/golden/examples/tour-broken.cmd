check ../../../examples/torch-tour/seq.json ../../../examples/torch-tour/broken/gradient-not-summed/dist.json --relation ../../../examples/torch-tour/relation.json
