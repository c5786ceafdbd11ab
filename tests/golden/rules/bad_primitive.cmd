run bad_primitive.tvr; $TVR run bad_primitive_sort.tvr
