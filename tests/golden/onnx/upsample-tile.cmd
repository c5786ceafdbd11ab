check files/upsample.onnx files/upsample-tile.onnx
