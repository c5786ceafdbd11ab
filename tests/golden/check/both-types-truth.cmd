check both-types-truth.tvr | head -4
