show files/undefined.onnx
