check guarded-norm.tvr
