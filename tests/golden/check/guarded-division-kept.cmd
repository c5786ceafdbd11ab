check guarded-division-kept.tvr
