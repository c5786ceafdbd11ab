run ../rules/input.tvr
