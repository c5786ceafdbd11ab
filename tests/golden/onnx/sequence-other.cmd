check files/split-other.onnx files/sequence.onnx | head -4
