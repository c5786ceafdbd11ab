lint ../../../examples/torch/block-tp2/seq.json ../../../examples/torch/block-tp2/dist.json --relation=../../../examples/torch/block-tp2/relation.json
