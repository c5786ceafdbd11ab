check files/gelu.onnx files/gelu-root.onnx --literals=exact | head -4
