check ../../../examples/mlp-tp6/seq.hlo nowhere.hlo --relation missing.json
