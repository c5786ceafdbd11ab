check ambiguous-name.tvr
