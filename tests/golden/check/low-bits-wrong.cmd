check low-bits-wrong.tvr
