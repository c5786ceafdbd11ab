check equal-in-part.tvr
