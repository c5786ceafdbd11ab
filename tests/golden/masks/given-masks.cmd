check given-billion.hlo given-infinite.hlo --literals=masks
