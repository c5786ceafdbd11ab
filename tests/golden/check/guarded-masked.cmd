check guarded-masked.tvr
