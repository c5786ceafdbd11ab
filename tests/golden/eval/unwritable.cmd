eval ../../../examples/mlp-tp6/seq.hlo > /dev/full
