check scaled-choice-number.tvr --tactics=off
