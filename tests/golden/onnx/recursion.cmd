show files/recursion.onnx
