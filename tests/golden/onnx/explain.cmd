explain files/linear.onnx files/linear-renamed.onnx dist.y
