check functions-wrong.tvr
