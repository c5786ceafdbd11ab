check range-of-64-bits.tvr --points=0 | head -1
