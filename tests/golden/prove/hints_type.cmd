prove hints_type.tvr
