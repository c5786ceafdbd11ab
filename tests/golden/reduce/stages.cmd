reduce ../../../examples/torch/pipeline-pp3/seq.json ../../../examples/torch/pipeline-pp3/broken/labels-swapped/dist.json --relation=../../../examples/torch/pipeline-pp3/relation.json
