check both-types-bytes.tvr | head -4
