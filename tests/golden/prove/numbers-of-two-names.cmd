prove numbers-of-two-names.tvr
