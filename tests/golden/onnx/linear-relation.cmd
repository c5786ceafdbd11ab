check files/linear.onnx files/linear-names.onnx --relation=files/names.json
