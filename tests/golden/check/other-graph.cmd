check ../../../examples/mlp-tp6/seq.hlo ../../../examples/norm-sp4/dist.hlo --relation ../../../examples/mlp-tp6/relation.json
