show files/external-up.onnx
