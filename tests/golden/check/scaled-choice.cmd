check scaled-choice.tvr --tactics=off
