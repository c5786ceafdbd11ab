show files/large.onnx --max-weights=5
