check files/lstm.onnx files/lstm-step-other.onnx
