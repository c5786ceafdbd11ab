check padding-out-of-range.tvr --points=0 --coarse-points=0 | head -6
