show files/nameless.onnx
