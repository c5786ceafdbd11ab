check --seconds=1 unassumed.tvr
