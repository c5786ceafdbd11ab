check files/einsum.onnx files/einsum-other.onnx
