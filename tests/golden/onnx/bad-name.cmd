show files/bad-name.onnx
