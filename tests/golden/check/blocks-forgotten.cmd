check blocks-forgotten.tvr | head -4
