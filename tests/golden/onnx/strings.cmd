show files/strings.onnx
