check files/moved.onnx files/moved-folded.onnx; $TVR check files/moved.onnx files/moved-turned.onnx | head -2
