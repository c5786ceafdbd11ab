check mask.tvr --certificate=/dev/null
