check files/mask.onnx files/mask-shifted.onnx | head -4
