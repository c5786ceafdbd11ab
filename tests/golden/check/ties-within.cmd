check ties-within.tvr | head -12
