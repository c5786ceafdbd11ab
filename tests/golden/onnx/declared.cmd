show files/declared.onnx
