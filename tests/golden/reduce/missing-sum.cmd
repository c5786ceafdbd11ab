reduce ../../../examples/mlp-tp6/seq.hlo ../../../examples/mlp-tp6/broken/no-gradient-all-reduce/dist.hlo --relation=../../../examples/mlp-tp6/relation.json
