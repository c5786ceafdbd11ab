check odd.tvr --with=odd-erf.tvr --assume=lemmas
