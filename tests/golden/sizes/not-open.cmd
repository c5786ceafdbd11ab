check ../../../examples/mlp-tp6/seq.hlo ../../../examples/mlp-tp6/dist.hlo --relation=../../../examples/mlp-tp6/relation.json --family="s % 8 == 0"
