check search-before.hlo search-after.hlo --refuted-seconds=0 | head -1
