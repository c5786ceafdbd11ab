explain ../check/model.tvr dist.dot_generl seq.#3 dot_general.9
