check one-or-the-other.tvr
