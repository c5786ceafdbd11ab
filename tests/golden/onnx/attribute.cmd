check files/attribute.onnx files/attribute-inlined.onnx
