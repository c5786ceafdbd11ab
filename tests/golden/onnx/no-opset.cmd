show files/no-opset.onnx
