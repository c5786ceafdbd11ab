run modules.tvr
