prove true.tvr --z3-seconds=30
