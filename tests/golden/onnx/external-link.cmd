show files/external-link.onnx
