check scaled-choice-sign.tvr --tactics=off
