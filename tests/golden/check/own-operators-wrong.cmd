check own-operators-wrong.tvr
