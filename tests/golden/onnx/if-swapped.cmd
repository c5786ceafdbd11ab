check files/if.onnx files/if-swapped.onnx
