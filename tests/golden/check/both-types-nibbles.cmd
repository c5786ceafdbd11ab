check both-types-nibbles.tvr | head -4
