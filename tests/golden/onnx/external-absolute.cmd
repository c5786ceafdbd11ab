show files/external-absolute.onnx
