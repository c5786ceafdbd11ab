eval ../../../examples/matmul-rows-tp3/model.tvr --elements=3 --seed=5
