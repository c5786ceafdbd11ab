show files/nameless.onnx --sizes=x.0=2
