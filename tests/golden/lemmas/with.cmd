check without.tvr --with=root.tvr --z3-seconds=30
