reduce ../../../examples/torch/zero3-dp4/seq.json ../../../examples/torch/zero3-dp4/broken/not-averaged/dist.json --relation=../../../examples/torch/zero3-dp4/relation.json
