check mean.tvr --strict --assume=uniform --literals=exact
