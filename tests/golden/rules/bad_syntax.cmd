run bad_syntax.tvr
