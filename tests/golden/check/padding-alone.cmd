check padding-alone.tvr --points=0 --coarse-points=0 | head -3
