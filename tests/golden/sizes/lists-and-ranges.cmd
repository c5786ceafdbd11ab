check lists-and-ranges.tvr
