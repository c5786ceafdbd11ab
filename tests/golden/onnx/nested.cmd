check files/nested.onnx files/nested-plain.onnx
