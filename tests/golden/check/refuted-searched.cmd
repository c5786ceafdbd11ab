check refuted-seconds.tvr | head -1
