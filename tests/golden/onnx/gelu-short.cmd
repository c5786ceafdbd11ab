check files/gelu.onnx files/gelu-short.onnx | head -4
