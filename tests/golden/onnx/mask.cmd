check files/mask.onnx files/mask-constant.onnx
