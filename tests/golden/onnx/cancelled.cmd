check files/cancelled.onnx files/cancelled-after.onnx
