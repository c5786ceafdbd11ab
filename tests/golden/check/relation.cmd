check relation.tvr
