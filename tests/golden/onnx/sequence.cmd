check files/split.onnx files/sequence.onnx
