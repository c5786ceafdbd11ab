run terms.tvr
