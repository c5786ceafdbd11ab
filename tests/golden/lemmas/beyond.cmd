check beyond.tvr --with=far.tvr --points=0 --coarse-points=0 --z3-seconds=3
