check even.tvr --with=erf-even.tvr --points=0 --coarse-points=0
