check activations-wrong.tvr
