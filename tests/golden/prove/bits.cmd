prove bits.tvr
