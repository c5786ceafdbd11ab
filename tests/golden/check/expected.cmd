check expected.tvr
