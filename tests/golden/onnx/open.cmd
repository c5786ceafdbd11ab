show files/open.onnx
