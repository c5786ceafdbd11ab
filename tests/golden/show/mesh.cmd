show mesh.mlir; $TVR show mesh-generic.mlir
