run bad_table.tvr
