check search.mlir search.mlir; for e in mlir hlo; do for f in search search-other search-longer; do $TVR check search.$e $f.$e | head -1; done; done
