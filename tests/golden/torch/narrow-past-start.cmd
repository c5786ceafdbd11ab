check narrow-from-end.json narrow-of-slice.json
