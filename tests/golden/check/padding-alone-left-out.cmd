check padding-alone-left-out.tvr --points=0 --coarse-points=0 | head -3
