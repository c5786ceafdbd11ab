show files/external-short.onnx
