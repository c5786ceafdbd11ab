show files/linear.onnx
