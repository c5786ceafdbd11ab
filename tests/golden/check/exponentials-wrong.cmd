check exponentials-wrong.tvr
