check files/if.onnx files/if-where.onnx
