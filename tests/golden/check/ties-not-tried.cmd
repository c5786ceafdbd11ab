check ties.tvr --coarse-points=0 | head -4
