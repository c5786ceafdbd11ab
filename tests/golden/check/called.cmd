check called.mlir called-renamed.mlir; $TVR check called.mlir called-changed.mlir | head -1
