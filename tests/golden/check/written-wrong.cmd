check written-wrong.tvr
