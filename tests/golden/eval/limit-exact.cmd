eval ../../../examples/matmul-rows-tp3/seq.hlo --numbers=exact --max-work=200
