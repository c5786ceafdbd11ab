check ../../../examples/torch-tour/seq.json ../../../examples/torch-tour/dist.json --relation=../../../examples/torch-tour/seq.json 2>&1 | head -1
