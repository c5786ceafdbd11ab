check billion.hlo infinite.hlo --literals=exact | head -4
