check computed-table.tvr
