check shares-of-mean-wrong.tvr --tactics=off
