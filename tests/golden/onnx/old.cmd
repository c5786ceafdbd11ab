show files/old.onnx
