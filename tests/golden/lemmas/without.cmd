check without.tvr
