eval ../../../examples/matmul-rows-tp3/dist.hlo
