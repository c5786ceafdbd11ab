show files/many.onnx --max-nodes=1000
