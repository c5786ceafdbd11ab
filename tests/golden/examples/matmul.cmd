check ../../../examples/matmul-rows-tp3/model.tvr
