check files/group-norm.onnx files/group-norm-fused.onnx; for k in groups plain; do $TVR check files/group-norm-$k.onnx files/group-norm-fused.onnx | head -2; done
