check files/einsum.onnx files/einsum-matmul.onnx
