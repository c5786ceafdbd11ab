check files/traced-before.onnx files/traced.onnx
