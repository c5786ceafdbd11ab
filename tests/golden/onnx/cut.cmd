show files/cut.onnx
