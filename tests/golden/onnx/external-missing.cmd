show files/external-missing.onnx
