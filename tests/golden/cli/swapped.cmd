check ../../../examples/torch-tour/dist.json ../../../examples/torch-tour/seq.json --relation=../../../examples/torch-tour/relation.json 2>&1 | sed -n '1p;4p'
