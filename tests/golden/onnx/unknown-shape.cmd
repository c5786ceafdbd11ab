show files/unknown-shape.onnx
