check any-of-two-ranks.tvr
