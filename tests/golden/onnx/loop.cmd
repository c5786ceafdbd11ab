check files/loop.onnx files/loop-unrolled.onnx
