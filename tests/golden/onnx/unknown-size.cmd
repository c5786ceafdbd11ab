show files/open.onnx --sizes=batch=2,width=3,height=4
