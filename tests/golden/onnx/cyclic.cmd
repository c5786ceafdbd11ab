show files/cyclic.onnx
