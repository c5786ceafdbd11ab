check narrow-from-end.json narrow-is-slice.json
