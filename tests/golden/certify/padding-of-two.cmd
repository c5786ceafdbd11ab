certify padding-of-two.cert ../check/padding-of-two.tvr
