run bad_action_column.tvr
