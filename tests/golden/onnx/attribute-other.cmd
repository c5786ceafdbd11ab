check files/attribute.onnx files/attribute-other.onnx | head -4
