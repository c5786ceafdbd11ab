eval files/external.onnx --inputs=files/x.json
