reduce starts-of-pieces.tvr
