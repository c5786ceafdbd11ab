reduce ../../../examples/mlp-tp6/seq.hlo ../../../examples/mlp-tp6/broken/bias-per-device/dist.hlo --relation=../../../examples/mlp-tp6/relation.json --output=/nowhere/x.tvr
