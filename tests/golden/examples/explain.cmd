explain ../../../examples/matmul-rows-tp3/model.tvr dist.dot_general.2
