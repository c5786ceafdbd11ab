check files/fold.onnx files/fold-done.onnx; $TVR check files/fold.onnx files/fold-off.onnx | head -1
