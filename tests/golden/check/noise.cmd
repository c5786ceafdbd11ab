check noise.mlir noise-none.mlir; for f in pure sent refused; do $TVR check noise-$f.mlir noise-none.mlir; done
