reduce inferred.tvr
