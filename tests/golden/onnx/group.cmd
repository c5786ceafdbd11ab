show files/group.onnx
