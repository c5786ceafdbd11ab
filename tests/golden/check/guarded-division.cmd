check guarded-division.tvr
