check files/gelu.onnx files/gelu-root.onnx
