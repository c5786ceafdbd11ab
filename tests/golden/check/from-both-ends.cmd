check from-both-ends.tvr
