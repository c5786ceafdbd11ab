check files/linear.onnx files/linear-names.onnx --relation=files/names-wrong.json 2>/dev/null | head -4
