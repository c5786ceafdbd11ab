eval ../../../examples/matmul-rows-tp3/seq.hlo --max-work=3
