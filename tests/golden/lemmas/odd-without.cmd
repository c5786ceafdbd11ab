check odd.tvr
