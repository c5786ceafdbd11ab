check ../../../examples/torch-tour/seq.json ../../../examples/torch-tour/dist.json -r ../../../examples/torch-tour/relation.json
