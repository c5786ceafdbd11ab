check files/pad-cut.onnx files/pad-turned.onnx
