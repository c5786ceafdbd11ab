show shape.json
