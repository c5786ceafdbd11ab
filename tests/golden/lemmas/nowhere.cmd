check without.tvr --with=root.tvr,nowhere.tvr
