lint replicated-not.hlo --relation=replicated-not.json
