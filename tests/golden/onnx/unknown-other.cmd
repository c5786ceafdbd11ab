check files/unknown.onnx files/unknown-other.onnx
