check --literals=nearly model.tvr
