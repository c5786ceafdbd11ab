lint parameters.hlo --relation=parameters.json --most=2
