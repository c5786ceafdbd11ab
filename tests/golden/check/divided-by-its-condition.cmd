check divided-by-its-condition.tvr
