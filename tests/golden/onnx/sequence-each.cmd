check files/sequence-each.onnx files/sequence-taken.onnx
