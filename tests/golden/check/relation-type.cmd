check ../../../examples/matmul-rows-tp3/seq.hlo ../../../examples/matmul-rows-tp3/dist.hlo --relation=relation-type.json
