check common-factor-twice.tvr --tactics=off | head -8
