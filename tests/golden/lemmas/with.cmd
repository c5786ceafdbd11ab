check without.tvr --with=root.tvr
