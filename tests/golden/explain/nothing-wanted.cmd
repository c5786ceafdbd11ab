explain ../check/search.mlir ../check/search.mlir; $TVR explain ../check/search.mlir
