run bad_column.tvr
