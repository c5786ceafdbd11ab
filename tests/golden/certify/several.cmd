check ../reduce/inferred.tvr --certificate=/dev/null
