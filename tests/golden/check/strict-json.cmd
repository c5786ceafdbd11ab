check --strict ../../../examples/mlp-tp6/seq.hlo ../../../examples/mlp-tp6/dist.hlo --relation ../../../examples/mlp-tp6/relation.json --json | jq -c '.verdict, .refused'
