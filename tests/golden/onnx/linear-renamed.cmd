check files/linear.onnx files/linear-renamed.onnx
