show files/branches.onnx
