eval files/external-both.onnx --inputs=files/x.json
