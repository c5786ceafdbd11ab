check ties.tvr
