check model.tvr --relation ../../../examples/mlp-tp6/relation.json
