check files/unknown.onnx files/unknown-other.onnx | head -4
