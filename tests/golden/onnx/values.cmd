show files/values.onnx
