check other.tvr
