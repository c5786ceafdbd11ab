check ../../../examples/onnx/folded-norm/before.onnx ../../../examples/onnx/folded-norm/after.onnx --literals=exact
