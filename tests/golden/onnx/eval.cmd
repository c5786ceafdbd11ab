eval files/linear.onnx z --inputs=files/x.json --numbers=exact
