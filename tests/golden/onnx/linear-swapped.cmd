check files/linear.onnx files/linear-swapped.onnx
