check common-factor.tvr --tactics=off
