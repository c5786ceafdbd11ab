show files/fit.onnx
