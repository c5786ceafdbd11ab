show files/linear.onnx --weights=some
