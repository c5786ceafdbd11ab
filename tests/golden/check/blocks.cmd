check blocks.tvr
