check files/nested.onnx files/nested-less.onnx
