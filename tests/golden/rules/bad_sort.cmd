run bad_sort.tvr
