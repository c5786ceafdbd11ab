check any-of-ranks.tvr --strict --assume=narrowing
