check low-bits.tvr
