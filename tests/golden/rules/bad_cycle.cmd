run bad_cycle.tvr
