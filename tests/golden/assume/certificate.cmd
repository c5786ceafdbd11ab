check union.tvr --certificate=/dev/null
