prove increasing.tvr
