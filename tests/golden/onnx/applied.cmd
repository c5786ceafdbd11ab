check files/applied.onnx files/applied.onnx; $TVR check files/applied.onnx files/applied-other.onnx | head -3
