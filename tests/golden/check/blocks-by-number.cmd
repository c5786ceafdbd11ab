check ../../../examples/torch/zigzag-cp2/seq.json ../../../examples/torch/zigzag-cp2/dist.json --relation=blocks-by-number.json | head -1
