check bad-given.tvr
