check bad-model.tvr
