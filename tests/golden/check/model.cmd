check model.tvr
