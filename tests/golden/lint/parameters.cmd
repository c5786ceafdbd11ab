lint parameters.hlo --relation=parameters.json
