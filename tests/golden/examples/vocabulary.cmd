check ../../../examples/vocabulary-tp3/model.tvr
