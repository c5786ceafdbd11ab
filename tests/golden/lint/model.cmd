lint model.tvr
