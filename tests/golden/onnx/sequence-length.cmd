show files/sequence-length.onnx
