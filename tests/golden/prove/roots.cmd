prove roots.tvr
