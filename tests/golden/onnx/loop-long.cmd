check files/loop.onnx files/loop-unrolled.onnx --max-trips=2
