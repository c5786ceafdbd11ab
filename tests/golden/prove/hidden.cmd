prove hidden.tvr
