check own-definition.tvr
