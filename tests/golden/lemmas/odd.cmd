check odd.tvr --with=erf-odd.tvr --assume=lemmas
