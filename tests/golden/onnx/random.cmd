check files/random.onnx files/random-none.onnx | head -3
