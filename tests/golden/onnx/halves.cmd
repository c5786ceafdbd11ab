eval files/halves.onnx --inputs=files/x.json
