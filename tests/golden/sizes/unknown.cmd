check unknown.tvr 2>&1
