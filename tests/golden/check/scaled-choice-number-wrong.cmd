check scaled-choice-number-wrong.tvr --tactics=off
