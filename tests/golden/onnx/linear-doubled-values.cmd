check files/linear.onnx files/linear-doubled.onnx --weights=values | head -4
