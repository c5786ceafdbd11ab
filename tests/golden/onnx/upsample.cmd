check files/upsample.onnx files/upsample-repeat.onnx
