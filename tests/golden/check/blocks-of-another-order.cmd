check ../../../examples/torch/zigzag-cp2/seq.json ../../../examples/torch/zigzag-cp2/dist.json --relation=blocks-of-another-order.json | head -2
