show files/endless.onnx
