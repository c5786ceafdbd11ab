show complex-inverse.json
