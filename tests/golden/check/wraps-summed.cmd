check wraps-summed.tvr --points=0 --coarse-points=0 | head -2
