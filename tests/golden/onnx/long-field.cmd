show files/long-field.onnx
