show files/deep.onnx
