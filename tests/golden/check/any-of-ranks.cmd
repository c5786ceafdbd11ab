check any-of-ranks.tvr --strict
