check files/fold-nothing.onnx files/fold-nothing-done.onnx
