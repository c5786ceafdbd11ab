check files/power-whole.onnx files/power-real.onnx
