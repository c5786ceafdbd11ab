check backwards-or-nothing.tvr --points=8
