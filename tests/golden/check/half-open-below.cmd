check half-open-below.tvr
