certify turned.cert ../../../examples/matmul-rows-tp3/seq.hlo ../../../examples/matmul-rows-tp3/dist.hlo --relation=../../../examples/matmul-rows-tp3/relation.json
