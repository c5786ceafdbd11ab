check odd.tvr --with=erf-odd.tvr
