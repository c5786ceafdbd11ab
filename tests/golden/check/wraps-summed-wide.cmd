check wraps-summed-wide.tvr --points=0 --coarse-points=0 | head -2
