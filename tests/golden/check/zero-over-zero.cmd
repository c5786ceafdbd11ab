check zero-over-zero.tvr
