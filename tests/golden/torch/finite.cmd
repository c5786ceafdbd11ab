check finite-hidden.json finite.json
