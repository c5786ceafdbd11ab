prove hints.tvr
