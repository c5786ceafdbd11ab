check from-the-end.tvr
