check files/lstm.onnx files/lstm-step.onnx
