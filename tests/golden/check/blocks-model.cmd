check ../../../examples/torch/zigzag-cp2/model.tvr | head -1
