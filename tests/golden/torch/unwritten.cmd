check unwritten.json unwritten-again.json
