check files/linear.onnx files/linear-changed.onnx | head -4
