check padding-alone-of-two-axes.tvr --points=0 --coarse-points=0 | head -3
