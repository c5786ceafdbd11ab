check shares-of-mean.tvr --tactics=off
