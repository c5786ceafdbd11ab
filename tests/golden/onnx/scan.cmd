check files/scan.onnx files/scan-sum.onnx
