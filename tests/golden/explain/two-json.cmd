explain ../../../examples/mlp-tp6/seq.hlo ../../../examples/mlp-tp6/dist.hlo --relation ../../../examples/mlp-tp6/relation.json dist.dot_general.18 seq.dot_general.10 --json
