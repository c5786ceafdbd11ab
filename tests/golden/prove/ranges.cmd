prove ranges.tvr
