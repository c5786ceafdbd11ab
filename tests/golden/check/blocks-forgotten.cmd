check blocks-forgotten.tvr --refuted-seconds=60 | head -4
