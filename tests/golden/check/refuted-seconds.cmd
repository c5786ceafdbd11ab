check refuted-seconds.tvr --refuted-seconds=0
