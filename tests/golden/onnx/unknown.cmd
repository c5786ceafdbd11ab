check files/unknown.onnx files/unknown-after.onnx
