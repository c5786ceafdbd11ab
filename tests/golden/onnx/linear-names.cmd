check files/linear.onnx files/linear-names.onnx
