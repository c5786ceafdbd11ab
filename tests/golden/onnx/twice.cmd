show files/twice.onnx
