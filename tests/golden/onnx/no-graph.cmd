show files/no-graph.onnx
