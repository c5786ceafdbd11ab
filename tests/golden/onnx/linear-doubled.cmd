check files/linear.onnx files/linear-doubled.onnx | head -4
